import { describe, expect, it } from "vitest";
import { readCountry, readNumber } from "../../src/core/number.ts";

describe("readNumber", () => {
  it.each([
    ["+254712345678"],
    ["+254 712 345 678"],
    ["+254-712-345-678"],
    ["+254.712.345.678"],
    ["(+254) [712] 345678"],
    ["+254\u00a0712\u00a0345678"],
    ["  +254712345678\t"],
  ])("reads %j as +254712345678", (text) => {
    expect(readNumber(text)).toEqual({ kind: "number", e164: "+254712345678", assigned: true });
  });

  it.each([
    ["0712 345678", "KE", "+254712345678"],
    ["712345678", "KE", "+254712345678"],
    ["254712345678", "KE", "+254712345678"],
    ["+447400123456", "KE", "+447400123456"],
    ["(201) 555-0123", "US", "+12015550123"],
    ["8 912 345-67-89", "RU", "+79123456789"],
    ["06 20 123 4567", "HU", "+36201234567"],
    ["06 1234 5678", "IT", "+390612345678"],
    ["011 15-2345-6789", "AR", "+5491123456789"],
  ] as const)("reads %j in %s as %s", (text, country, e164) => {
    expect(readNumber(text, country)).toMatchObject({ kind: "number", e164 });
  });

  it.each([
    ["", "there is no number"],
    ["0712345678", "it has no country"],
    ["call me +254712345678 now", "it has the letter c in it"],
    ["+254712345678 ext. 5", "it has the letter e in it"],
    ["+254712345678;ext=5", "it has ; in it"],
    ["+254712345678,5", "it has , in it"],
    ["tel:+254712345678", "it has the letter t in it"],
    ["+254SAFARICOM", "it has the letter S in it"],
    ["\u202a+254712345678\u202c", "it has U+202A in it"],
    ["\uff0b254712345678", "it has U+FF0B in it"],
    ["+٢٥٤712345678", "it has U+0662 in it"],
    ["+254+712345678", "it has a + in the middle"],
    ["254712345678+", "it has a + in the middle"],
    ["+0254712345678", "it is not E.164: a +, then at most 15 digits, the first not 0"],
    ["+2547123456789012", "it is not E.164: a +, then at most 15 digits, the first not 0"],
    ["+25471234", "no such number is possible"],
    ["+254712345678901", "no such number is possible"],
    ["+999712345678", "no such number is possible"],
    ["+4402071234567", "it would have to be rewritten to +442071234567"],
    ["2.547E+11", "a spreadsheet mangled it"],
    ["2,54712E+11", "a spreadsheet mangled it"],
  ])("refuses %j: %s", (text, reason) => {
    expect(readNumber(text)).toMatchObject({ kind: "refused", reason });
  });

  it.each([
    ["000254712345678", "KE"],
    ["112015550123", "US"],
    ["789123456789", "RU"],
    ["9011961234567", "BR"],
    ["0313211234567", "CO"],
    ["011 254 712345678", "US"],
    ["0712345", "KE"],
  ] as const)("refuses %j in %s, which the parser would rewrite", (text, country) => {
    expect(readNumber(text, country).kind).toBe("refused");
  });

  it.each([
    ["491701234567", "DE", "+49491701234567", "+491701234567"],
    ["62812345678", "ID", "+6262812345678", "+62812345678"],
  ] as const)("refuses %j in %s, which may be %s or %s", (text, country, national, international) => {
    expect(readNumber(text, country)).toMatchObject({
      kind: "refused",
      reason: `it may be ${national} or ${international}`,
    });
  });

  it("says of a possible number in no assigned range that it is not assigned", () => {
    expect(readNumber("+254 999 999 999")).toEqual({
      kind: "number",
      e164: "+254999999999",
      assigned: false,
    });
  });
});

describe("readCountry", () => {
  it("takes two letters in either case", () => {
    expect([readCountry("KE"), readCountry("ke")]).toEqual(["KE", "KE"]);
  });

  it.each([
    ["", ", such as KE for Kenya"],
    ["XX", ", such as KE for Kenya"],
    ["KEN", ": KE for Kenya"],
    ["Kenya", ": KE for Kenya"],
    ["+254", ": KE for Kenya"],
    ["UK", ": GB for United Kingdom"],
    ["niger", ": NE for Niger"],
  ])("refuses %j, and names %s", (text, meant) => {
    const message = `${JSON.stringify(text)} is not the code of a country`;
    const hint = `give the two letters of ISO 3166${meant}`;
    expect(() => readCountry(text)).toThrow(expect.objectContaining({ message, hint }));
  });
});
