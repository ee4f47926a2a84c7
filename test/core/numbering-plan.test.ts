import * as fc from "fast-check";
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, it } from "vitest";
import { assignedNumber, isAssigned } from "../../src/core/numbering-plan.ts";

/** What the library's parser says of a number that it finds possible and does not rewrite. */
function byParser(e164: string): boolean | undefined {
  const parsed = parsePhoneNumberFromString(e164, { extract: false });
  return parsed?.number === e164 && parsed.isPossible() ? parsed.isValid() : undefined;
}

describe("isAssigned", () => {
  it.each([
    ["+254712345678", true],
    ["+254999999999", false],
    ["+12015550123", true],
    ["+447400123456", true],
    ["+39061234567", true],
    ["+77012345678", true],
    ["+49493704869", false],
  ])("of %s is %j, without the parser", (e164, assigned) => {
    expect(isAssigned(e164)).toBe(assigned);
  });

  it.each([
    ["too short", "+25471234"],
    ["too long", "+254712345678901"],
    ["of no country", "+999712345678"],
    ["of no place", "+80012345678"],
    ["with a national prefix inside", "+4402071234567"],
    ["without a subscriber", "+254"],
  ])("leaves a number %s to the parser", (_, e164) => {
    expect(isAssigned(e164)).toBeUndefined();
  });

  it.each(getCountries())("says what the parser says, of numbers of %s", (country) => {
    const agrees = fc.property(numbersOf(country), (e164) => {
      const assigned = isAssigned(e164);
      return assigned === undefined || assigned === byParser(e164);
    });
    expect(fc.check(agrees, { numRuns: 400 }).counterexample).toBeNull();
  });

  it("leaves few of the numbers to the parser that the parser takes", () => {
    const taken = fc
      .sample(fc.constantFrom(...getCountries()).chain(numbersOf), 20_000)
      .filter((e164) => byParser(e164) !== undefined);
    expect(taken.length).toBeGreaterThan(5_000);
    expect(taken.filter((e164) => isAssigned(e164) === undefined).length).toBeLessThan(taken.length / 10);
  });
});

describe("assignedNumber", () => {
  it.each([
    ["0712345678", "KE", "+254712345678"],
    ["712345678", "KE", "+254712345678"],
    ["254712345678", "KE", "+254712345678"],
    ["06201234567", "HU", "+36201234567"],
    ["0612345678", "FR", "+33612345678"],
  ] as const)("of %s in %s is %s, without the parser", (digits, country, e164) => {
    expect(assignedNumber(digits, country)).toBe(e164);
  });

  it.each([
    ["0999999999", "KE"],
    ["00712345678", "KE"],
    ["000254712345678", "KE"],
    ["2540712345678", "KE"],
    ["005712345678", "KE"],
    ["011152345678", "AR"],
    ["2015550123", "US"],
  ] as const)("leaves %s in %s to the parser", (digits, country) => {
    expect(assignedNumber(digits, country)).toBeUndefined();
  });

  it.each(getCountries())("says what the parser says, of numbers in %s", (country) => {
    const code = getCountryCallingCode(country);
    const before = fc.constantFrom("", "0", "8", "06", "00", "000", "01", "1", code, `0${code}`, `${code}0`);
    const agrees = fc.property(before, digitsOf(country), (prefix, subscriber) => {
      const digits = prefix + subscriber;
      const number = assignedNumber(digits, country);
      if (number === undefined) return true;
      const parsed = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
      const isKept = [0, 1, 2].some((dropped) => number === `+${code}${digits.slice(dropped)}`);
      return parsed?.number === number && parsed.isValid() && (isKept || number === `+${digits}`);
    });
    expect(fc.check(agrees, { numRuns: 400 }).counterexample).toBeNull();
  });
});

/** E.164 numbers that begin with a country's code. */
function numbersOf(country: CountryCode): fc.Arbitrary<string> {
  return digitsOf(country).map((digits) => `+${getCountryCallingCode(country)}${digits}`);
}

/** Digits that may follow a country's code: any, or those of its example with some changed. */
function digitsOf(country: CountryCode): fc.Arbitrary<string> {
  const longest = 15 - getCountryCallingCode(country).length;
  const example = Array.from(getExampleNumber(country, examples)?.nationalNumber ?? "", Number);
  const digit = fc.integer({ min: 0, max: 9 });
  const any = fc.array(digit, { minLength: 2, maxLength: longest });
  const changed = fc
    .tuple(fc.nat({ max: example.length }), fc.array(digit, { maxLength: 3 }), fc.boolean())
    .map(([place, digits, longer]) => example.toSpliced(place, longer ? 0 : digits.length, ...digits));
  return fc.oneof(any, changed).map((digits) => digits.join("").slice(0, longest));
}
