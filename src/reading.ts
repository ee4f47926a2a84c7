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

/** Opens a file without waiting for the writer of a pipe: the process could not end before one comes. */
export async function openFile(path: string): Promise<Stream> {
  const { constants, createReadStream, fstatSync, openSync } = await import("node:fs");
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(file).isFIFO()) return new (await import("node:net")).Socket({ fd: file, writable: false });
  const { isatty, ReadStream } = await import("node:tty");
  return isatty(file) ? new ReadStream(file) : createReadStream(path, { fd: file });
}
