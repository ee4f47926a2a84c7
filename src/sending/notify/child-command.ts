import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "../../files/open-file.ts";
import { findProgram } from "../../files/program.ts";
import { afterOurSignal, type Host } from "../../host.ts";

export type CommandEnd =
  /** `exitCode` is 128 and the number of the signal, if one ended it. It is interrupted if SIGINT came, even if it then went on. */
  | { readonly kind: "ended"; readonly exitCode: number; readonly isInterrupted: boolean }
  /** 127 if it was not found and 126 if it cannot be executed, as shells have it. */
  | { readonly kind: "not-started"; readonly exitCode: 126 | 127; readonly reason: string };

const notFound = { kind: "not-started", exitCode: 127, reason: "there is no such program" } as const;

/**
 * Runs a command without a shell, with our own standard input, output and error. Returns how it ended, and never rejects.
 * Signals go to the command and stop nothing here; Ctrl-C and Ctrl-\ do not, because the terminal sends them to the command
 * as well.
 */
export async function runChildCommand(
  [name, ...words]: readonly [string, ...string[]],
  environment: Host["environment"],
  { stdin, stdout, stderr, platform, divertSignals }: Host,
): Promise<CommandEnd> {
  // Windows would look in the working folder first, where others may have put a program.
  const isBare = platform === "win32" && !/[/\\:]/.test(name);
  const program = isBare ? findProgram(name, environment, platform) : name;
  if (program === undefined) return notFound;
  // Asked before the start: Node makes a pipe non-blocking when it opens it, and blocking again for the command.
  const isAtTerminal = [stdin, stdout, stderr].some((stream) => stream.isTerminal());
  let child: ChildProcess | undefined;
  let isInterrupted = false;
  const release = divertSignals((signal) => {
    isInterrupted ||= signal === "SIGINT";
    if (!isAtTerminal || !["SIGINT", "SIGQUIT"].includes(signal)) child?.kill(signal);
  });
  try {
    return await new Promise<CommandEnd>((resolve, reject) => {
      const started = spawn(program, words, { env: environment, stdio: "inherit" });
      child = started;
      // Once it runs, the error is about a signal that we may not send, as to sudo: then it goes on.
      started.on("error", (error) => started.pid === undefined && reject(error));
      started.once("exit", (code, signal) => {
        const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
        afterOurSignal(exitCode, () => {
          const isOurs = isInterrupted || exitCode === 128 + constants.signals.SIGINT;
          resolve({ kind: "ended", exitCode, isInterrupted: isOurs });
        });
      });
    });
  } catch (error) {
    const code = errorCode(error);
    // Node refuses an empty name with an error of its own.
    return code === "ENOENT" || name === ""
      ? notFound
      : { kind: "not-started", exitCode: 126, reason: `it cannot be executed (${code})` };
  } finally {
    release();
  }
}
