import { platform } from "node:os";
import { errorCode } from "./error-code.ts";

/** The system, and how to wait on it without a turn of the event loop. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly pause: (ms: number) => void;
}

const system: System = {
  platform: platform(),
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/**
 * Renames or removes a file by `work`, and on Windows tries again for half a second: a virus scanner or an indexer that has
 * the file open makes it fail for a moment. Throws what the last try throws.
 */
export function patiently<T>(work: () => T, { platform: name, pause }: System = system): T {
  for (const ms of name === "win32" ? [5, 15, 30, 50, 100, 100, 200] : []) {
    try {
      return work();
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes(errorCode(error))) throw error;
      pause(ms);
    }
  }
  return work();
}
