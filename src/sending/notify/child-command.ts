import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "../../files/file-system.ts";
import { afterOurSignal, type Host } from "../../host.ts";
import { accessSync, constants as modes, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export type CommandEnd =
  /** `exitCode` is 128 and the number of a signal that ended the command. SIGINT also interrupts one that goes on. */
  | { readonly kind: "ended"; readonly exitCode: number; readonly isInterrupted: boolean }
  /** As in shells, 127 means that the command was not found, and 126 that nothing can execute the command. */
  | { readonly kind: "not-started"; readonly exitCode: 126 | 127; readonly reason: string };

export const noProgram = { kind: "not-started", exitCode: 127, reason: "there is no such program" } as const;

/** Signals go to the command and stop nothing here; the terminal itself sends Ctrl-C and Ctrl-\ to the command. */
export async function runChildCommand(
  [name, ...words]: readonly [string, ...string[]],
  environment: Host["environment"],
  { stdin, stdout, stderr, platform, divertSignals }: Host,
): Promise<CommandEnd> {
  const program = programFor(name, environment, platform);
  if (program === undefined) return noProgram;
  // Node makes a pipe non-blocking when it opens the pipe, and blocking again for the command, so this comes first.
  const isAtTerminal = [stdin, stdout, stderr].some((stream) => stream.isTerminal());
  let child: ChildProcess | undefined;
  let isInterrupted = false;
  const release = divertSignals((signal) => {
    isInterrupted ||= signal === "SIGINT";
    if (!isAtTerminal || !["SIGINT", "SIGQUIT"].includes(signal)) child?.kill(signal);
  });
  try {
    return await new Promise<CommandEnd>((resolve, reject) => {
      const running = spawn(program, words, { env: environment, stdio: "inherit" });
      child = running;
      // Once it runs, the error is about a signal that we may not send, as to sudo: then it goes on.
      running.on("error", (error) => running.pid === undefined && reject(error));
      running.once("exit", (code, signal) => {
        const exitCode = exitCodeOf(code, signal);
        afterOurSignal(exitCode, () => {
          const isOurs = isInterrupted || exitCode === 128 + constants.signals.SIGINT;
          resolve({ kind: "ended", exitCode, isInterrupted: isOurs });
        });
      });
    });
  } catch (error) {
    return notStarted(error, name);
  } finally {
    release();
  }
}

export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}

export function notStarted(error: unknown, name: string): Extract<CommandEnd, { readonly kind: "not-started" }> {
  const code = errorCode(error);
  // Node refuses an empty name with an error of its own.
  if (code === "ENOENT" || name === "") return noProgram;
  return { kind: "not-started", exitCode: 126, reason: `it cannot be executed (${code})` };
}

/** Windows would look in the working folder first, where others may have put a program. */
export function programFor(
  name: string,
  environment: Host["environment"],
  platform: NodeJS.Platform,
): string | undefined {
  const isBare = platform === "win32" && !/[/\\:]/.test(name);
  return isBare ? findProgram(name, environment, platform) : name;
}

/** Searches only absolute folders, since Windows would run a program in the working folder first. */
export function findProgram(
  name: string,
  environment: Host["environment"],
  platform: NodeJS.Platform,
): string | undefined {
  const isWindows = platform === "win32";
  const [, path = ""] =
    Object.entries(environment).find(([key]) => (isWindows ? key.toUpperCase() : key) === "PATH") ?? [];
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const exact = isWindows && !name.includes(".") ? [] : [name];
  const names = isWindows ? [...exact, `${name}.com`, `${name}.exe`] : exact;
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, modes.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
