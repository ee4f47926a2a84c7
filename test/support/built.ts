import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import type { main } from "../../src/main.ts";
import { foldersIn, temporaryFolder } from "./folders.ts";
import { sms } from "./machine.ts";
import { type Ended, runSms, type SmsOptions } from "./sms.ts";

const require = createRequire(import.meta.url);

/** Runs the built program in this process, for a command that needs none of its own; as `runSms` if SMS_PROGRAM is set. */
export async function runBuilt(args: readonly string[], options: SmsOptions = {}): Promise<Ended> {
  if (process.env["SMS_PROGRAM"] !== undefined) return runSms(args, options);
  const built: { readonly main: typeof main } = require("../../dist/main.cjs");
  const folder = temporaryFolder();
  const began = performance.now();
  try {
    const machine = { environment: { ...foldersIn(folder), ...options.env }, stdin: options.stdin ?? "" };
    return { ...(await sms(args, machine, built.main)), ms: performance.now() - began };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
