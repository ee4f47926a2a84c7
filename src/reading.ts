import type { ReadStream } from "node:tty";
import { interruption } from "./errors.ts";

type Stream = AsyncIterable<Uint8Array> & { readonly destroy: () => unknown };

/** Yields what a stream has, and ends it when `stop` aborts: then throws `INTERRUPTED`. */
export async function* interruptible(open: () => Promise<Stream>, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = await open();
  const end = () => void stream.destroy();
  stop.addEventListener("abort", end);
  if (stop.aborted) end();
  try {
    for await (const chunk of stream) {
      if (stop.aborted) break;
      yield chunk;
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener("abort", end);
  }
  if (stop.aborted) throw interruption(stop, "unsent");
}

/** How long nothing more must come until all that was typed is read: a terminal hands over a long paste piece by piece. */
const quietMs = 25;

/** Reads and forgets what was typed at a terminal until now. Calls `onInterrupt` for a Ctrl-C, which is not a signal meanwhile. */
export async function discardTyped(input: ReadStream, onInterrupt: () => void): Promise<void> {
  // Otherwise a line is kept back until its end.
  input.setRawMode(true);
  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let lastLook: NodeJS.Immediate | undefined;
    const wait = () => {
      clearTimeout(timer);
      clearImmediate(lastLook);
      // A timer may be due before the terminal was looked at; an immediate runs after that.
      timer = setTimeout(() => (lastLook = setImmediate(finish)), quietMs);
    };
    const forget = (typed: Buffer) => {
      if (typed.includes(ctrlC)) onInterrupt();
      wait();
    };
    const finish = () => {
      input.off("data", forget).pause();
      resolve();
    };
    input.on("data", forget);
    wait();
  });
  input.setRawMode(false);
}

const ctrlC = 0x03;

/** Opens a file without waiting for the writer of a pipe: the process could not end before one comes. */
export async function openFile(path: string): Promise<Stream> {
  const { constants, createReadStream, fstatSync, openSync } = await import("node:fs");
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(file).isFIFO()) return new (await import("node:net")).Socket({ fd: file, writable: false });
  const { isatty, ReadStream } = await import("node:tty");
  return isatty(file) ? new ReadStream(file) : createReadStream(path, { fd: file });
}
