import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve as absolute } from "node:path";
import { fileURLToPath } from "node:url";
import { foldersIn, temporaryFolder } from "./folders.ts";

/** How the program ended, and what it wrote. */
export interface Ended {
  /** Null if a signal ended it, such as the SIGKILL of `boundMs`. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From spawn to the end of its streams. */
  readonly ms: number;
}

/** What the program gets besides its arguments. */
export interface SmsOptions {
  /** Its environment, in addition to PATH and the folders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty by default. */
  readonly stdin?: string;
  /** Killed after this time, so that no test can hang; a minute by default. */
  readonly boundMs?: number;
}

/** The program while it runs. */
export interface RunningSms {
  /** What it wrote to stdout up to its first line end, or up to its end if there was none. */
  readonly begun: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly signal: (name: "SIGINT" | "SIGTERM") => void;
}

/** The program under test, as a command: SMS_PROGRAM, an executable or a JavaScript file; bin/sms.js if that is not set. */
export const program: readonly [file: string, ...args: string[]] = commandFor(
  absolute(process.env["SMS_PROGRAM"] ?? fileURLToPath(new URL("../../bin/sms.js", import.meta.url))),
);

/** Whether that is one file with Node within, which takes no options of Node from the environment. */
export const isStandalone = program.length === 1;

function commandFor(path: string): readonly [file: string, ...args: string[]] {
  return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
}

/** Starts the program with PATH as its only inherited variable, and with a home folder of its own. */
export function startSms(args: readonly string[], options: SmsOptions = {}): RunningSms {
  const folder = temporaryFolder();
  const began = performance.now();
  const [file, ...before] = program;
  const child = spawn(file, [...before, ...args], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      ...foldersIn(folder),
      ...options.env,
    },
  });
  const bound = setTimeout(() => child.kill("SIGKILL"), options.boundMs ?? 60_000);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const begun = new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout.push(chunk);
      if (chunk.includes("\n")) resolve(Buffer.concat(stdout).toString());
    });
    child.on("close", () => resolve(Buffer.concat(stdout).toString()));
  });
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading closes its end of the pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");

  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(bound);
      rmSync(folder, { recursive: true, force: true });
      resolve({
        code,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
        ms: performance.now() - began,
      });
    });
  });
  return { begun, ended, signal: (name) => void child.kill(name) };
}

/** Runs the program to its end, started by `startSms`. */
export function runSms(args: readonly string[], options: SmsOptions = {}): Promise<Ended> {
  return startSms(args, options).ended;
}
