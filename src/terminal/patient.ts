import { constants, openSync, writeSync } from "node:fs";
import { Writable } from "node:stream";

/** Node's own stream blocks the process until a reader takes the text, as after Ctrl-S. */
export function patientTerminal(fd: number): Writable | undefined {
  let file: number;
  try {
    // Others share the flags of our terminal, so the terminal is opened anew.
    file = openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A user may not open the terminal, or the system is Windows, whose terminals block nothing.
    return undefined;
  }
  const write = (bytes: Uint8Array, done: (error?: Error) => void) => {
    let count = 0;
    try {
      count = writeSync(file, bytes);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!("code" in error && error.code === "EAGAIN")) return done(error);
    }
    if (count === bytes.length) done();
    else setTimeout(write, retryMs, bytes.subarray(count), done);
  };
  return new Writable({ write: (bytes: Uint8Array, _, done) => write(bytes, done) });
}

const retryMs = 100;
