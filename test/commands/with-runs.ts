import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { type Machine, sms } from "../support/machine.ts";

/** A rate at which no run of a test waits. */
export const fast = ["--rate", "60000"];

/** Numbers of different people, from the one of that index. */
export function numbers(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `+2547123450${String(from + index).padStart(2, "0")}`);
}

/** Gives each test a sandbox with 5 credits and empty folders for credentials and runs. */
export function withRuns() {
  let sandbox: Sandbox;
  let folder: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    let ids = 0;
    const newId = () => `msg_${++ids}`;
    sandbox = await startSandbox({ port: 0, tier: "professional", credits: 5, now: Date.now, newId });
    folder = temporaryFolder();
    environment = {
      ...foldersIn(folder),
      SMS_BASE_URL: sandbox.url,
      SMS_API_KEY: "sk_test_sandbox",
    };
  });

  afterEach(() => sandbox.close());

  const run = (args: readonly string[], machine: Machine = {}) =>
    sms(args, { ...machine, environment: { ...environment, ...machine.environment } });

  return {
    run,
    send: (args: readonly string[], machine: Machine = {}) => run(["send", ...fast, ...args], machine),
    /** The NDJSON of a command: the lines of recipients, and the last line. */
    lines: async (args: readonly string[], machine: Machine = {}) => {
      const { code, stdout, stderr } = await run([...args, "--json"], machine);
      const all = stdout
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      return { code, recipients: all.slice(0, -1), summary: all.at(-1), stderr };
    },
    file: (name: string, content: string | Uint8Array) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    /** Numbers and texts that the sandbox accepted, by number. */
    accepted: () =>
      sandbox
        .messages()
        .map(({ to, message }) => [to, message] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    /** The folder of all runs, or a path in it. */
    runsFolder: (...path: readonly string[]) => join(folder, "state", "runs", ...path),
  };
}
