import type { Machine } from "../support/machine.ts";
import { withSandbox } from "../support/with-sandbox.ts";

/** A rate at which no run of a test waits. */
export const fast = ["--rate", "60000"];

export function numbers(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `+2547${12_345_000 + from + index}`);
}

/** The objects of NDJSON. */
export function objectsIn(stdout: string) {
  const lines = stdout.trim().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** A live key of the sandbox, where it costs credits. */
export const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

/** Gives each test a sandbox with 5 credits, to which commands send with a test key. */
export function withRuns() {
  const given = withSandbox({ isOwn: true, rate: 2000, credits: 5, key: "sk_test_sandbox" });
  return {
    ...given,
    send: (args: readonly string[], machine: Machine = {}) =>
      given.run(["send", ...(args.includes("--rate") ? [] : fast), ...args], machine),
    listOf: (count: number) => ["-r", given.file("list.txt", numbers(count).join("\n"))],
    /** The NDJSON of a command: the lines of recipients, and the last line. */
    lines: async (args: readonly string[], machine: Machine = {}) => {
      const { code, stdout, stderr } = await given.run([...args, "--json"], machine);
      const all = objectsIn(stdout);
      return { code, recipients: all.slice(0, -1), summary: all.at(-1), stderr };
    },
    /** Numbers and texts that the sandbox accepted, by number. */
    accepted: () =>
      given
        .sandbox()
        .messages()
        .map(({ to, message }) => [to, message] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    runsFolder: (...path: readonly string[]) => given.path("state", "runs", ...path),
  };
}
