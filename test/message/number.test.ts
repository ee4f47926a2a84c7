import * as fc from "fast-check";
import { getCountries, getCountryCallingCode, getExampleNumber } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, it } from "vitest";
import { spelledNumber } from "../../src/message/number-fault.ts";
import { NumberSet } from "../../src/message/number-set.ts";
import { type Country, readListedNumber, readNumber } from "../../src/message/number.ts";
import { seed } from "../support/seed.ts";

const strayDot = "it has a dot that is not between groups of two digits or more";

describe("readNumber", () => {
  it.each([
    ["+254712345678"],
    ["+254 712 345 678"],
    ["+254-712-345-678"],
    ["+254 (712).345.678"],
    ["+254. 712 345678"],
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
    ["call me +254712345678 now", "it has letters in it"],
    ["\u202a+254712345678\u202c", "it has U+202A in it"],
    ["+٢٥٤712345678", "it has U+0662 in it"],
    ["+254+712345678", "it has a + in the middle"],
    ["+0254712345678", "it is not E.164: a +, then 8 to 15 digits, the first not 0"],
    ["+2547123456789012", "it is not E.164: a +, then 8 to 15 digits, the first not 0"],
    ["+25471234", "no such number is possible"],
    ["+254712345678901", "no such number is possible"],
    ["+999712345678", "no such number is possible"],
    ["+4402071234567", "it would have to be rewritten to +442071234567"],
    ["2.547E+11", "a spreadsheet mangled it"],
    ["6641234567.0", "it ends in a fraction, .0"],
    ["+2547123456.78", "it ends in a fraction, .78"],
    [".254712345678", strayDot],
    ["+254712345678.", strayDot],
    ["2.54712345678", strayDot],
    ["6641234567.0.00", strayDot],
    ["6641234567,0", 'it has "," in it'],
  ])("refuses %j: %s", (text, reason) => {
    expect(readNumber(text)).toMatchObject({ kind: "unreadable", reason });
  });

  it.each([
    ["000254712345678", "KE"],
    ["112015550123", "US"],
    ["789123456789", "RU"],
    ["9011961234567", "BR"],
    ["0313211234567", "CO"],
    ["011 254 712345678", "US"],
    ["0712345", "KE"],
    ["0171 1234567 (2)", "DE"],
    ["0812-345-678 [12]", "ID"],
    ["(1) 0171 1234567", "DE"],
    ["3 0171 1234567", "DE"],
  ] as const)("refuses %j in %s, which would be read as another number", (text, country) => {
    expect(readNumber(text, country).kind).toBe("unreadable");
  });

  it("makes nobody else's number of a mobile number of any country, whatever is in front and between", () => {
    const nobodyElse = fc.property(fc.constantFrom(...getCountries()), fc.nat(5), fc.nat(8), (country, way, gap) => {
      const { number, nationalNumber } = getExampleNumber(country, examples) ?? { number: "", nationalNumber: "" };
      const code = getCountryCallingCode(country);
      const start = [`+${code} `, `+${code} (0)`, `${code} `, `${code} (0)`, "0", ""][way] ?? "";
      const text = `${start}${nationalNumber.slice(0, gap)} ${nationalNumber.slice(gap)}`;
      const read = readNumber(text, country);
      const spelling = spelledNumber(text, country)?.e164 ?? number;
      // There is no E.164 number of fewer than 8 digits.
      if (read.kind === "unreadable") return spelling === number && (number.length < 9 || !start.endsWith(" "));
      // These have other numbers that begin with 0.
      return (
        (["AC", "IT", "VA", "TK"].includes(country) && start === "0") || (read.e164 === number && spelling === number)
      );
    });
    fc.assert(nobodyElse, { seed, numRuns: 5_000 });
  });
});

describe("what people write into numbers", () => {
  it.each([
    ["0171/1234567", "DE", "+491711234567"],
    ["030 / 123 016", "DE", "+4930123016"],
    ["+49 (0)160 1000000", undefined, "+491601000000"],
    ["+44 (0) 7912 345678", undefined, "+447912345678"],
  ] as const)("%j in %s is %s", (text, country, e164) => {
    expect(readNumber(text, country)).toMatchObject({ kind: "number", e164 });
  });

  it.each([
    ["+25471234567", undefined, "it lacks a digit"],
    ["+2547123456789", undefined, "it has a digit too many"],
    ["071234567", "KE", "it lacks a digit"],
    ["2026-11-22", "NO", "it is a date"],
    ["22/11/2026", "NO", "it is a date"],
    ["+937(0)1234567-0", undefined, "no such number is possible"],
    ["+39 (0)6 1234567", undefined, "it is not clear whether its (0) is dialled"],
    ["+241 (0)6031234", undefined, "it is not clear whether its (0) is dialled"],
    ["0712345678/0722345678", "KE", "no such number is possible"],
    // Two people: 123456789 is a third.
    ["0664/1234567/89", "AT", 'it has "/" in it'],
    ["030 123456/57", "DE", 'it has "/" in it'],
  ] as const)("%j in %s is refused: %s", (text, country, reason) => {
    expect(readNumber(text, country)).toMatchObject({ kind: "unreadable", reason });
  });
});

describe("readListedNumber", () => {
  it.each([
    ["6641234567.0", "AT", "+436641234567"],
    ["712345678.00", "KE", "+254712345678"],
    [" +254712345678.0\t", undefined, "+254712345678"],
  ] as const)("reads the decimal %j in %s as %s", (text, country, e164) => {
    expect(readListedNumber(text, country)).toEqual({ kind: "number", e164, assigned: true, isDecimal: true });
  });

  it.each([["254712000000"], ["712345678.5"], ["712345678.000"], ["712345678,0"], ["5.0"]])("refuses %j", (text) => {
    expect(readListedNumber(text, "KE").kind).toBe("unreadable");
  });

  it("reads others as they are written", () => {
    expect(readListedNumber("0712.345.678", "KE")).toEqual(readNumber("0712345678", "KE"));
  });
});

it("reads the digits that are written and no decimals, whatever is between and behind them", () => {
  const pair = fc.constantFrom(...getCountries()).chain((country) => fc.tuple(fc.constant(country), written(country)));
  let accepted = 0;
  const isFaithful = fc.property(pair, fc.boolean(), ([country, text], isListed) => {
    const read = (isListed ? readListedNumber : readNumber)(text, country);
    if (read.kind === "unreadable") return true;
    accepted++;
    const [whole = "", ...groups] = text.split(".");
    const isDecimal = groups.length === 1 && /^(\d\d?|0+)$/.test(groups.join("").replace(/\D/g, ""));
    if (isDecimal && !(isListed && read.isDecimal)) return false;
    const code = `+${getCountryCallingCode(country)}`;
    const plain = (isDecimal ? whole : text).replace(`${code}(0)`, code).replace(/[^+\d]/g, "");
    const expected = readNumber(plain, country);
    return expected.kind === "number" && expected.e164 === read.e164;
  });
  expect(fc.check(isFaithful, { numRuns: 20_000 }).counterexample).toBeNull();
  expect(accepted).toBeGreaterThan(1000);
});

/** A number of the country in groups, as people write it, and with what programs put behind it. */
function written(country: Country): fc.Arbitrary<string> {
  const national = getExampleNumber(country, examples)?.nationalNumber ?? "";
  const code = getCountryCallingCode(country);
  const start = fc.constantFrom("", "0", code, `+${code}`);
  const between = fc.constantFrom(" ", ".", "-", "(", ")", "/", ",", "'", "\u00a0", "\u200b", "٫", ". ", ").");
  const groups = fc
    .uniqueArray(fc.tuple(fc.nat({ max: national.length }), between), { maxLength: 3, selector: ([at]) => at })
    .map((gaps) => Array.from(national, (digit, at) => (gaps.find(([place]) => place === at)?.[1] ?? "") + digit));
  const end = fc.constantFrom("", ".0", ".00", ".000", ".5", ".25", ".", ".0.0", ",0", "٫0", "-", "-0", " 0", "E+8");
  return fc.tuple(start, groups, end).map(([before, digits, after]) => before + digits.join("") + after);
}

describe("a set of numbers", () => {
  /** Keys of E.164, among them neighbours and those that differ in their high bits alone. */
  const key = fc.oneof(
    fc.integer({ min: 1, max: 999_999_999_999_999 }),
    fc.integer({ min: 254_712_000_000, max: 254_712_000_050 }),
    fc.integer({ min: 1, max: 20 }).map((high) => high * 2 ** 32 + 7),
  );

  it("has exactly the numbers that were added", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300 }), fc.array(key), (added, others) => {
        const set = new NumberSet();
        const model = new Set<number>();
        for (const one of added) {
          expect(set.add(one)).toBe(!model.has(one));
          model.add(one);
        }
        expect(set.size).toBe(model.size);
        for (const one of [...added, ...others]) expect(set.has(one)).toBe(model.has(one));
      }),
      { seed },
    );
  });

  it("keeps the first line of each of many numbers, negative ones too", () => {
    const lines = new NumberSet();
    const keyOf = (index: number) => 254_700_000_000 + index * 7_919;
    for (let index = 1; index <= 5_000; index++) lines.add(keyOf(index), index % 2 === 1 ? index : -index);
    for (let index = 1; index <= 5_000; index++) expect(lines.add(keyOf(index), 7)).toBe(false);
    for (let index = 1; index <= 5_000; index++)
      expect(lines.lineOf(keyOf(index))).toBe(index % 2 === 1 ? index : -index);
    expect(lines.lineOf(254_700_000_001)).toBeUndefined();
  });
});
