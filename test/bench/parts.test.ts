import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

const bench = (...args: readonly string[]) => promisify(execFile)(process.execPath, ["test/bench/main.js", ...args]);

describe("the benchmark", () => {
  let parts: readonly string[] = [];

  beforeAll(async () => {
    const { stdout } = await bench("--rows", "20");
    parts = stdout.trimEnd().split("\n\n").slice(1);
  });

  it.each(["start", "throughput", "pace", "growth", "once", "record", "watch", "binary"])(
    "runs its part %s with a few rows",
    (name) => {
      const part = parts.find((text) => text.startsWith(`${name} `));

      const [heading, ...rows] = part?.split("\n") ?? [];

      expect(heading).toMatch(/ours +theirs/);
      expect(rows).not.toEqual([]);
    },
  );

  it("names its parts to who asks for another", async () => {
    await expect(bench("history")).rejects.toThrow(/there are start, throughput, pace, growth/);
  });
});
