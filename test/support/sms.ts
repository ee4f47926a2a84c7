import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve as absolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at-end.ts";
import { ownFolder } from "./folders.ts";
import { requireCommandsThatParse } from "./hints.ts";
import { until } from "./until.ts";

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Ended {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** The command gets PATH, a home and folders of its own, and these variables. */
export interface SmsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A command that runs on is killed. */
  readonly boundMs?: number;
  /** By default a pipe that is read. */
  readonly stdout?: number;
  /** Runs the program: `unshare`, for example. */
  readonly through?: readonly string[];
}

export interface RunningSms {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly firstLine: () => Promise<string>;
  /** Resolves once the command listens for signals. */
  readonly listens: () => Promise<void>;
  /** Resolves once signals end the command by themselves, or it has ended. */
  readonly listensNoMore: () => Promise<void>;
  readonly ended: Promise<Ended>;
  /** Sends a signal, and returns the exit code. Throws if the command runs on for 20 seconds. */
  readonly signal: (name: SignalName | "SIGCONT") => Promise<number | null>;
  /** Sends a signal, and returns true if the command runs on for two seconds. */
  readonly outlives: (name: SignalName) => Promise<boolean>;
}

/** The program under test: SMS_PROGRAM, which is an executable or a JavaScript file, or bin/sms.js. */
export const program: readonly [file: string, ...args: string[]] = commandFor(
  absolute(process.env["SMS_PROGRAM"] ?? fileURLToPath(new URL("../../bin/sms.js", import.meta.url))),
);

/** The program has Node within, which takes no options from the environment. */
export const isStandalone = program.length === 1;

function commandFor(path: string): readonly [file: string, ...args: string[]] {
  return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
}

/** Standard input stays open unless `stdin` is all of it. The program is killed at the end of the file. */
export function startSms(
  args: readonly string[],
  { env, stdin, stdout: output = -1, through = [], boundMs = Infinity }: SmsOptions = {},
): RunningSms {
  const began = performance.now();
  const [file = "", ...rest] = [...through, ...program, ...args];
  const child = spawn(file, rest, {
    env: { PATH: process.env["PATH"], ...ownFolder().env, ...env },
    stdio: ["pipe", output < 0 ? "pipe" : output, "pipe"],
  });
  atEnd(() => child.kill("SIGKILL"));
  // A program that ends without reading closes its end of the pipe.
  child.stdin?.on("error", () => {});
  if (stdin !== undefined) child.stdin?.end(stdin);
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const bound = boundMs < Infinity ? setTimeout(() => child.kill("SIGKILL"), boundMs) : undefined;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(bound);
      const result = { code, stdout, stderr, ms: performance.now() - began };
      requireCommandsThatParse(`${stdout}\n${stderr}`).then(() => resolve(result), reject);
    });
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    firstLine: async () => {
      await until(() => stdout.includes("\n") || isOver());
      return stdout;
    },
    listens: () => until(() => catchesHangUp(child.pid)),
    listensNoMore: () => until(() => isOver() || !catchesHangUp(child.pid)),
    signal: async (name) => {
      child.kill(name);
      const end = await Promise.race([ended, sleep(20_000, "runs on" as const)]);
      if (end === "runs on") throw new Error(`runs on after ${name}: ${stderr}`);
      return end.code;
    },
    outlives: async (name) => {
      child.kill(name);
      return Promise.race([ended.then(() => false), sleep(2_000, true)]);
    },
  };
}

export function runSms(args: readonly string[], options: SmsOptions = {}): Promise<Ended> {
  return startSms(args, { stdin: "", boundMs: 60_000, ...options }).ended;
}

/** Node has no handler for SIGHUP of its own. */
function catchesHangUp(pid: number | undefined): boolean {
  const [, caught = "0"] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

/** The last line of what a command printed with `--json`: the summary of a run, or an error. */
export function lastJson(text: string) {
  return JSON.parse(text.trim().split("\n").at(-1) ?? "");
}
