import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { program } from "./sms.ts";

/** The program in a storm, in a container or not. */
export interface StormProcess {
  /** The exit code as a shell gives it: 128 and the number of the signal that ended it. */
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  readonly hasEnded: () => boolean;
  /** Signals the program itself, not what contains it. */
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Starts the program. `container` is the start of a command that runs it in one. */
export function startInStorm(
  container: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): StormProcess {
  const [file = "", ...rest] = [...container, ...program, ...args];
  const child = spawn(file, rest, { env });
  let stdout = "";
  let stderr = "";
  let hasEnded = false;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const ended = new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (code, signal) => {
      hasEnded = true;
      resolve({ code: code ?? 128 + constants.signals[signal ?? "SIGKILL"], stdout, stderr });
    });
  });
  return {
    ended,
    hasEnded: () => hasEnded,
    signal: (name) => {
      // The container is killed with what is in it.
      const isWhole = container.length === 0 || name === "SIGKILL";
      const pid = isWhole ? child.pid : descendant(child.pid ?? 0, 2);
      if (pid === undefined || hasEnded) return;
      try {
        process.kill(pid, name);
      } catch {
        // It ended meanwhile.
      }
    },
  };
}

/** The only child of the only child, and so on; undefined if there is none yet, or any more. */
function descendant(pid: number, generations: number): number | undefined {
  if (generations === 0) return pid;
  try {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
    return child > 0 ? descendant(child, generations - 1) : undefined;
  } catch {
    return undefined;
  }
}
