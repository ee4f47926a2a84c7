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
import { readNumber } from "../../src/core/number.ts";
import { seed } from "../support/seed.ts";

/** What the library's parser says of a number that it finds possible and does not rewrite. */
function byParser(e164: string): boolean | undefined {
  const parsed = parsePhoneNumberFromString(e164, { extract: false });
  return parsed?.number === e164 && parsed.isPossible() ? parsed.isValid() : undefined;
}

/** Whether a number is assigned; undefined if it is refused. */
function isAssigned(e164: string): boolean | undefined {
  const reading = readNumber(e164);
  return reading.kind === "number" && reading.e164 === e164 ? reading.assigned : undefined;
}

describe("readNumber, of E.164", () => {
  it.each([
    ["+254712345678", true],
    ["+254999999999", false],
    ["+12015550123", true],
    ["+447400123456", true],
    ["+39061234567", true],
    ["+77012345678", true],
    ["+49493704869", false],
    // A universal international freephone number: of no country, but of a plan.
    ["+80012345678", true],
  ])("says whether %s is assigned: %j", (e164, assigned) => {
    expect(isAssigned(e164)).toBe(assigned);
  });

  it.each([
    ["too short", "+25471234"],
    ["too long", "+254712345678901"],
    ["of no country", "+999712345678"],
    ["with a national prefix inside", "+4402071234567"],
    ["without a subscriber", "+254"],
  ])("refuses a number %s", (_, e164) => {
    expect(isAssigned(e164)).toBeUndefined();
  });

  it.each(getCountries())("says what the library's parser says, of numbers of %s", (country) => {
    const numbers = digitsOf(country).map((digits) => `+${getCountryCallingCode(country)}${digits}`);
    fc.assert(
      fc.property(numbers, (e164) => isAssigned(e164) === byParser(e164)),
      { numRuns: 200, seed },
    );
  });
});

describe("readNumber, of digits in a country", () => {
  it.each([
    ["0712345678", "KE", "+254712345678"],
    ["712345678", "KE", "+254712345678"],
    ["254712345678", "KE", "+254712345678"],
    ["06201234567", "HU", "+36201234567"],
    ["0612345678", "FR", "+33612345678"],
    ["2015550123", "US", "+12015550123"],
    // The library writes it 8 029 491-19-11.
    ["8294911911", "BY", "+375294911911"],
  ] as const)("reads %s in %s as %s", (digits, country, e164) => {
    expect(readNumber(digits, country)).toEqual({ kind: "number", e164, assigned: true });
  });

  it.each([
    ["00712345678", "KE"],
    ["000254712345678", "KE"],
    ["2540712345678", "KE"],
    ["005712345678", "KE"],
    ["112012000000", "US"],
    ["012012000000", "CV"],
    ["00004231234", "UY"],
    ["091123456789", "AR"],
  ] as const)("does not read %s in %s as a number in use", (digits, country) => {
    expect(readNumber(digits, country)).not.toMatchObject({ assigned: true });
  });

  it.each(getCountries())("drops a national prefix at most, and reads as the parser, in %s", (country) => {
    const code = getCountryCallingCode(country);
    const before = fc.constantFrom("", "0", "8", "06", "00", "000", "01", "1", code, `0${code}`, `${code}0`);
    const agrees = fc.property(before, digitsOf(country), (prefix, subscriber) => {
      const digits = prefix + subscriber;
      const reading = readNumber(digits, country);
      if (reading.kind === "refused") return true;
      const parsed = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
      const isKept =
        reading.e164 === `+${digits}` ||
        digits.endsWith(parsed?.nationalNumber ?? "none") ||
        digits === parsed?.formatNational().replace(/\D/g, "");
      return parsed?.number === reading.e164 && parsed.isValid() === reading.assigned && isKept;
    });
    fc.assert(agrees, { numRuns: 200, seed });
  });
});

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
