import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";

const bench = (...args: readonly string[]) => promisify(execFile)(process.execPath, ["test/bench/main.js", ...args]);

const long = ["throughput", "pace", "growth", "once", "record", "watch", "binary"];

describe.each([
  { names: ["start"], ...needs() },
  { names: long, ...needs("CI to be set") },
])("the benchmark", ({ names, ...options }) => {
  it.each(names)("runs its part %s with a few rows", options, async (name) => {
    const { stdout } = await bench("--rows", "20", name);

    const [heading, ...rows] = stdout.trimEnd().split("\n\n")[1]?.split("\n") ?? [];

    expect(heading).toMatch(/ours +theirs/);
    expect(rows).not.toEqual([]);
  });
});

describe("the benchmark", () => {
  it("names its parts to who asks for another", async () => {
    await expect(bench("history")).rejects.toThrow(/there are start, throughput, pace, growth/);
  });
});
