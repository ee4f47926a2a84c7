import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How a run of the program ended. */
export interface Ended {
  /** Null where a signal ended it, the bound's SIGKILL included. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From spawn to the end of its streams. */
  readonly ms: number;
}

/** What a run is given beside its arguments. */
export interface SmsOptions {
  /** All of its environment beside PATH and the folders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty and at its end where absent. */
  readonly stdin?: string;
  /** Killed after so long, so that no test can hang; default 15 s. */
  readonly boundMs?: number;
}

/** A program that runs. */
export interface RunningSms {
  /** What it wrote to stdout until it ended a line there; less where it ended before. */
  readonly begun: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly signal: (name: "SIGINT" | "SIGTERM") => void;
}

/** The built program. */
export const program = fileURLToPath(new URL("../../bin/sms.js", import.meta.url));

/** Starts the built program with nothing of the desk's environment but PATH, and folders of its own but for kept code. */
export function startSms(args: readonly string[], options: SmsOptions = {}): RunningSms {
  const folder = mkdtempSync(join(tmpdir(), "sms-test-"));
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env["PATH"],
      XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"],
      HOME: folder,
      SMS_CONFIG_DIR: join(folder, "config"),
      SMS_STATE_DIR: join(folder, "state"),
      ...options.env,
    },
  });
  const bound = setTimeout(() => child.kill("SIGKILL"), options.boundMs ?? 15_000);
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

/** Runs the built program to its end, as `startSms` starts it. */
export function runSms(args: readonly string[], options: SmsOptions = {}): Promise<Ended> {
  return startSms(args, options).ended;
}
