import { describe, expect, it } from "vitest";
import { withRuns } from "./with-runs.ts";

const { file, lines } = withRuns();

describe("landlines", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["one", ["+254712345001", "+254202345678"], ["1 landline may not take texts: line 2"]],
    ["two", ["+442071838750", "+254712345001", "+254202345678"], ["2 landlines may not take texts: lines 1 and 3"]],
    [
      "more than are named",
      ["1", "2", "3", "4", "5"].map((digit) => `+25420234567${digit}`),
      ["5 landlines may not take texts: lines 1, 2, 3 and 2 more"],
    ],
    ["none, since mobile numbers are in the same ranges", ["+12125550100", "+12125550101"], []],
  ])("of a list are counted in the plan and named by line: %s", async (_, numbers, warnings) => {
    const list = file("list.txt", numbers.join("\n"));
    const { code, summary } = await lines(["send", "-r", list, "-m", "Hi", "-n"]);
    expect({ code, warnings: summary.warnings }).toEqual({ code: 0, warnings });
  });
});
