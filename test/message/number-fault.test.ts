import { describe, expect, it } from "vitest";
import { explainNumber } from "../../src/message/number-fault.ts";

describe("explainNumber", () => {
  it.each([
    ["00254712345678", undefined, "it begins with 00 instead of +", "write +254712345678"],
    ["+0712345678", "KE", "no country's code begins with 0", "write +254712345678 if that is who you mean"],
    ["+999712345678", undefined, "no country has the code after its +", undefined],
    ["+254\u2013712\u2013345\u2013678", undefined, undefined, "write +254712345678"],
    ["'+254712345678", undefined, undefined, "write +254712345678"],
    ["+254712345678 ext. 5", undefined, undefined, undefined],
    ["tel.: 06641234567", "AT", undefined, "write +436641234567"],
    ["6641234567.0", "AT", undefined, "write +436641234567"],
    [
      "@list",
      undefined,
      "it is the name of a file",
      "`sms send --recipients list` sends to a file, and `sms optout import list` opts its numbers out",
    ],
    ["Amina", undefined, "it has no digits", undefined],
    ["amina@example.com", undefined, "it is an e-mail address", undefined],
    ["+4402071234567", undefined, undefined, undefined],
  ] as const)("%j in %s", (text, country, reason, hint) => {
    const { cause: _, suggestion: __, ...words } = explainNumber(text, country, true);
    expect(words).toEqual({ reason, hint });
  });

  it("does not suggest the digits that are left of a number in a list that a spreadsheet rounded", () => {
    for (const country of [undefined, "KE"] as const)
      expect(explainNumber("254712000000", country, false)).toEqual({ cause: "mangled" });
  });

  it.each([
    ["07123456789012", "KE", "long", "mobile numbers of Kenya have 9 digits after +254"],
    ["+12015550", undefined, "short", "numbers with +1 have 10 digits after +1"],
  ] as const)("%j in %s is too %s", (text, country, word, lengths) => {
    expect(explainNumber(text, country, true).reason).toBe(`it is too ${word}, as ${lengths}`);
  });

  it.each([
    ["+254 712 345 678, +254 712 345 679", undefined, 2, ": +254712345678 and +254712345679"],
    ["0712345678;0712345679", undefined, 2, ": 0712345678 and 0712345679"],
    ["+254712345678\n".repeat(4), undefined, 4, ""],
  ] as const)("%j in %s is %d numbers", (text, country, count, all) => {
    const hint = `give each by itself${all}`;
    expect(explainNumber(text, country, true)).toMatchObject({ reason: `it is ${count} numbers`, hint });
  });
});
