import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";

// A newcomer's tests take 20 seconds less without the benchmark.
describe("the benchmark", needs("CI to be set"), () => {
  it.each(["start", "throughput", "pace", "growth", "once", "record", "watch", "binary"])(
    "runs its part %s with a few rows",
    (part) => {
      const printed = execFileSync(process.execPath, ["test/bench/main.js", part, "--rows", "20"], {
        encoding: "utf8",
      });
      const [, , heading, ...rows] = printed.trimEnd().split("\n");
      expect(heading).toMatch(new RegExp(`^${part} +ours +theirs`));
      expect(rows.length).toBeGreaterThan(0);
    },
  );

  it("names its parts to who asks for another", () => {
    const ask = () => execFileSync(process.execPath, ["test/bench/main.js", "history"], { stdio: "pipe" });
    expect(ask).toThrow(/there are start, throughput, pace, growth/);
  });
});
