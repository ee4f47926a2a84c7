const windowSize = 64 * 1024;

/** A window on a file that is read from its start by whole lines, in bounded memory unless a line is longer. */
export class LineWindow {
  #bytes = Buffer.allocUnsafe(windowSize);
  /** Where the bytes behind the last whole line begin and end. */
  #start = 0;
  #end = 0;

  /** Where the next bytes of the file are read to. It takes the place of the lines before. */
  room(): Buffer {
    const rest = this.rest();
    if (rest.length === this.#bytes.length) this.#bytes = Buffer.allocUnsafe(2 * rest.length);
    this.#bytes.set(rest);
    this.#start = 0;
    this.#end = rest.length;
    return this.#bytes.subarray(this.#end);
  }

  /** Returns the lines that are whole once `read` bytes are in the room, each with its LF. */
  lines(read: number): Buffer {
    this.#end += read;
    this.#start = this.rest().lastIndexOf(10) + 1;
    return this.#bytes.subarray(0, this.#start);
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }
}
