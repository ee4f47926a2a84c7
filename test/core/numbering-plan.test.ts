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
import { isAssigned } from "../../src/core/numbering-plan.ts";

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

/** Numbers that begin as a country's do: any digits after its code, or its example with some digits changed. */
function numbersOf(country: CountryCode): fc.Arbitrary<string> {
  const code = getCountryCallingCode(country);
  const example = Array.from(getExampleNumber(country, examples)?.nationalNumber ?? "", Number);
  const digit = fc.integer({ min: 0, max: 9 });
  const any = fc.array(digit, { minLength: 2, maxLength: 15 - code.length });
  const changed = fc
    .tuple(fc.nat({ max: example.length }), fc.array(digit, { maxLength: 3 }), fc.boolean())
    .map(([place, digits, longer]) => example.toSpliced(place, longer ? 0 : digits.length, ...digits));
  return fc.oneof(any, changed).map((digits) => `+${code}${digits.join("").slice(0, 15 - code.length)}`);
}
