import type { Processes } from "../../src/host.ts";

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

export const machine = {
  processes,
  uid: process.getuid?.(),
  now: Date.now,
  random: Math.random,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
