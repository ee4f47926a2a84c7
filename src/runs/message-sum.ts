/** A checksum of messages in any order, since a database may give the same rows in another one each time. */
export class MessageSum {
  #low = 0;
  #high = 0;

  /** Adds a message as JSON. */
  add(message: string): void {
    let [low, high] = [0x811c9dc5, 0x9747b28c];
    // By FNV-1a.
    for (let index = 0; index < message.length; index++) {
      const unit = message.charCodeAt(index);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x5bd1e995);
    }
    this.#low = (this.#low + spread(low)) >>> 0;
    this.#high = (this.#high + spread(high)) >>> 0;
  }

  /** Returns the checksum in hexadecimal. */
  text(): string {
    return [this.#low, this.#high].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}

/** Mixes the bits of a hash (the end of MurmurHash3): otherwise two texts that swap places could leave the sum unchanged. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
