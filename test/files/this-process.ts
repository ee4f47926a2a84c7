import { homedir } from "node:os";
import type { StateFolder } from "../../src/files/state-folder.ts";
import type { Machine, Processes } from "../../src/host.ts";

export const processes: Processes = {
  pid: process.pid,
  exists: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "EPERM";
    }
  },
};

const never = new AbortController().signal;

export const machine: Machine = {
  environment: {},
  home: homedir,
  platform: process.platform,
  processes,
  uid: process.getuid?.(),
  now: Date.now,
  wallClock: Date.now,
  random: Math.random,
  interruption: () => ({ stop: never, leave: never }),
  sleep: (ms) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

/** Returns a state folder that is to be of our user. */
export function ours(path: string): StateFolder {
  return { path, uid: machine.uid };
}
