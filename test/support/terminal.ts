import { spawn } from "node:child_process";
import { shellLine } from "./shell.ts";
import { program } from "./sms.ts";

export interface Typing {
  readonly sees: string;
  readonly types: string;
  /** What happens elsewhere before that, given all that was shown. */
  readonly meanwhile?: (shown: string) => unknown;
}

interface OnTerminal {
  readonly code: number | null;
  readonly shown: string;
}

export function onTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  typings: readonly Typing[] = [],
): Promise<OnTerminal> {
  return lineOnTerminal(shellLine([...program, ...args]), environment, typings);
}

/** Runs a line for a POSIX shell on a pseudo-terminal of 80 columns (by util-linux's `script`), on which somebody types. */
export function lineOnTerminal(
  line: string,
  environment: Readonly<Record<string, string>> = {},
  typings: readonly Typing[] = [],
): Promise<OnTerminal> {
  const sized = `stty rows 24 cols 80; ${line}`;
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", sized, "/dev/null"], {
    env: { PATH: process.env["PATH"], TERM: "xterm", HOME: "/nonexistent", ...environment },
  });
  const bound = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const waiting = [...typings];
  let shown = "";
  let seen = 0;
  let turn = Promise.resolve();
  const typeNext = async (): Promise<void> => {
    const [next] = waiting;
    const at = next === undefined ? -1 : shown.indexOf(next.sees, seen);
    if (next === undefined || at < 0) return;
    seen = at + next.sees.length;
    waiting.shift();
    await next.meanwhile?.(shown);
    child.stdin.write(next.types);
    await typeNext();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    turn = turn.then(typeNext);
  });
  child.stdin.on("error", () => {});
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(bound);
      resolve({ code, shown });
    });
  });
}
