import { describe, expect, it } from "vitest";
import { plural } from "../../src/words/count.ts";
import { kes } from "../../src/terminal/text.ts";

describe("numbers in text", () => {
  it.each([
    [0, "0 messages"],
    [1, "1 message"],
    [999, "999 messages"],
    [1000, "1,000 messages"],
    [1_234_567, "1,234,567 messages"],
    [-1234, "-1,234 messages"],
    [1234.56789, "1,234.56789 messages"],
  ])("%d is counted as %s", (count, text) => {
    expect(plural(count, "message")).toBe(text);
  });

  it("give amounts with two decimals", () => {
    expect([kes(0.8), kes(1234.5), kes(800_000)]).toEqual(["KES 0.80", "KES 1,234.50", "KES 800,000.00"]);
  });
});
