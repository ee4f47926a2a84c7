import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { foldersIn, temporaryFolder } from "./folders.ts";
import { program } from "./sms.ts";

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

const cleanups: (() => unknown)[] = [];

/** Has this done by `cleanUp`. In concurrent tests, vitest does not know which of them asks. */
export function atEnd(action: () => unknown): void {
  cleanups.push(action);
}

/** Ends what the tests of a file left: `afterAll(cleanUp)` in each file that starts something with this module. */
export async function cleanUp(): Promise<void> {
  for (const action of cleanups.splice(0).toReversed()) await action();
}

/** The exit codes of the signals. */
export const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A command that waits for something that never comes. */
export interface Held {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once the command listens for signals. */
  readonly listens: () => Promise<void>;
  /** Resolves once signals end it by themselves, or it has ended. */
  readonly listensNoMore: () => Promise<void>;
  /** How it ended, with all that it wrote. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Sends a signal, and returns the exit code. Throws if it runs on for 20 seconds. */
  readonly signal: (name: SignalName | "SIGCONT") => Promise<number | null>;
  /** Sends a signal, and returns whether it runs on for two seconds. */
  readonly outlives: (name: SignalName) => Promise<boolean>;
}

/** How a command is started. */
export interface HeldOptions {
  readonly env: Readonly<Record<string, string>>;
  /** All of its standard input, which stays open and empty by default. */
  readonly stdin?: string;
  /** Where stdout goes; a pipe that is read by default. */
  readonly stdout?: number;
  /** What runs the program: `unshare`, for example. */
  readonly through?: readonly string[];
}

/** Starts the program, which is killed at the end of the file. */
export function hold(args: readonly string[], { env, stdin, stdout = -1, through = [] }: HeldOptions): Held {
  const [file = "", ...rest] = [...through, ...program, ...args];
  const child = spawn(file, rest, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", stdout < 0 ? "pipe" : stdout, "pipe"],
  });
  atEnd(() => child.kill("SIGKILL"));
  child.stdin?.on("error", () => {});
  if (stdin !== undefined) child.stdin?.end(stdin);
  let written = "";
  let told = "";
  child.stdout?.on("data", (chunk: Buffer) => (written += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const ended: Held["ended"] = new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, stdout: written, stderr: told }));
  });
  return {
    child,
    stdout: () => written,
    stderr: () => told,
    ended,
    listens: () => until(() => catchesHangUp(child.pid)),
    listensNoMore: () => until(() => child.exitCode !== null || !catchesHangUp(child.pid)),
    signal: async (name) => {
      child.kill(name);
      const end = await Promise.race([ended, sleep(20_000, "runs on" as const)]);
      if (end === "runs on") throw new Error(`runs on after ${name}: ${told}`);
      return end.code;
    },
    outlives: async (name) => {
      child.kill(name);
      return Promise.race([ended.then(() => false), sleep(2_000, true)]);
    },
  };
}

/** Returns a folder that is removed at the end of the file, and the environment for a command that keeps everything in it. */
export function ownFolder(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = temporaryFolder();
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    env: { HOME: folder, ...foldersIn(folder) },
  };
}

/** Waits until something is true. Throws after a minute. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`never: ${isTrue.toString()}`);
    await sleep(20);
  }
}

/** Whether the process has a handler for SIGHUP, of which Node has none of its own. */
function catchesHangUp(pid: number | undefined): boolean {
  const [, caught = "0"] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}
