import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guarded, unguarded } from "../../../src/recipients/formats/spreadsheet.ts";

describe("a guarded text", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["-1", "'-1"],
    ["＝1", "'＝1"],
    ["Hi;=1", "Hi;'=1"],
    ["Hi\r\n\t=1", "Hi\r\n\t'=1"],
    ["'=1", "''=1"],
    ["1=1", "1=1"],
  ])("begins no formula: %j becomes %j", (text, safe) => {
    expect(guarded(text)).toBe(safe);
    expect(unguarded(safe)).toBe(text);
  });

  it("can be given back", () => {
    const text = fc.string({ unit: fc.constantFrom("'", "=", "＝", ";", "\n", "a") });
    fc.assert(fc.property(text, (written) => unguarded(guarded(written)) === written));
  });
});
