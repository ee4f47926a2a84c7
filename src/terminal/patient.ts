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
  const write = (bytes: Uint8Array, finish: (error?: Error) => void) => {
    let count = 0;
    try {
      count = writeSync(file, bytes);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!("code" in error && error.code === "EAGAIN")) return finish(error);
    }
    if (count === bytes.length) finish();
    else setTimeout(write, retryMs, bytes.subarray(count), finish);
  };
  return new Writable({ write: (bytes: Uint8Array, _, finish) => write(bytes, finish) });
}

const retryMs = 100;
