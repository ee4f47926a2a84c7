import { sep } from "node:path";
import { errorCode } from "./error-code.ts";

/** The system, and how to wait on it without a turn of the event loop. */
export interface System {
  readonly isWindows: boolean;
  readonly pause: (ms: number) => void;
}

const system: System = {
  // `node:os` knows the name of the system, and takes a while to load.
  isWindows: sep === "\\",
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/**
 * Renames or removes a file by `work`, and on Windows tries again for half a second: a virus scanner or an indexer that has
 * the file open makes it fail for a moment. Throws what the last try throws.
 */
export function patiently<T>(work: () => T, { isWindows, pause }: System = system): T {
  for (const ms of isWindows ? [5, 15, 30, 50, 100, 100, 200] : []) {
    try {
      return work();
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes(errorCode(error))) throw error;
      pause(ms);
    }
  }
  return work();
}
