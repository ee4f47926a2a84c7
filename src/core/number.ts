import {
  type CountryCode,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js/core";
import numberingPlans from "libphonenumber-js/max/metadata";
import { usageError } from "../errors.ts";

/** What a piece of text is, read as a recipient. `assigned` is false for a possible number in no range known to be in use. */
export type NumberReading =
  | { readonly kind: "number"; readonly e164: string; readonly assigned: boolean }
  | { readonly kind: "refused"; readonly reason: string; readonly hint?: string };

/** An ISO 3166-1 alpha-2 country whose numbering plan is known, in capitals. */
export type Country = CountryCode;

/** Spaces, hyphens, dots and brackets: what people put into numbers and may be dropped without changing them. */
const punctuation = /[ \u00A0\u202F\u2010\u2011().[\]-]/gu;

/** E.164 (ITU-T E.164 6.2.1): a plus, then at most 15 digits, the first of them not 0. */
const e164 = /^\+[1-9]\d{1,14}$/;

/**
 * Reads a recipient strictly: E.164 once punctuation is dropped, or digits read in `country`. Whatever else stands in
 * the text, and whatever the parser would have to rewrite, is refused rather than repaired.
 */
export function readNumber(text: string, country?: Country): NumberReading {
  const digits = text.trim().replace(punctuation, "");
  if (digits === "") return refused("there is no number");
  const stranger = /[^+\d]/u.exec(digits)?.[0];
  if (stranger !== undefined) return refusedFor(stranger, digits);
  if (digits.lastIndexOf("+") > 0) return refused("it has a + in the middle");

  if (digits.startsWith("+")) {
    if (!e164.test(digits)) return refused("it is not E.164: a +, then at most 15 digits, the first not 0");
    return judge(digits, parse(digits), (number) => number === digits);
  }
  if (country === undefined) {
    return refused("it has no country", "write it with + and the country's code, or give --country");
  }
  return readNational(digits, country);
}

/**
 * Digits without a plus: those of the country, written with its national prefix or without, or those of E.164 that lack
 * the plus. Where they may be either, only the person knows who is meant.
 */
function readNational(digits: string, country: Country): NumberReading {
  const parsed = parse(digits, country);
  const international = `+${digits}`;
  if (
    parsed !== undefined &&
    parsed.number !== international &&
    digits.startsWith(getCountryCallingCode(country, numberingPlans))
  ) {
    const other = parse(international);
    if (other?.isPossible() && other.number === international && parsed.isPossible()) {
      return refused(
        `it may be ${parsed.number} or ${international}`,
        "write the one that is meant, with its +",
      );
    }
  }
  return judge(
    digits,
    parsed,
    (number) => number === international || (parsed !== undefined && isNational(digits, parsed, country)),
  );
}

/** Reads the country of `--country`: two letters in either case. Throws a usage error for one that has no numbering plan. */
export function readCountry(text: string): Country {
  const country = text.toUpperCase();
  if (isCountry(country)) return country;
  throw usageError(
    "INVALID_COUNTRY",
    `${JSON.stringify(text)} is not a country`,
    "give the two letters of ISO 3166, such as KE",
  );
}

/** Whether the digits are the parsed number as people write it inside its country: with or without the national prefix. */
function isNational(digits: string, parsed: PhoneNumber, country: Country): boolean {
  const national = parsed.nationalNumber;
  if (digits === national || digits === parsed.formatNational().replace(/\D/g, "")) return true;
  const prefix = nationalPrefix(digits, country);
  return prefix.length <= 2 && digits === prefix + national && parsed.isValid();
}

/**
 * The national prefix of these digits, in a country that shares its calling code with no other; "" if they have none, or
 * begin with more than a prefix: an exit code, a carrier, or a part that the parser rewrites.
 */
function nationalPrefix(digits: string, country: Country): string {
  // The columns of the library's table by position, as its own metadata.js reads them.
  const [code, exitCode, , , , prefix, , prefixForParsing] = numberingPlans.countries[country] ?? [];
  const pattern: string | undefined = prefixForParsing || prefix;
  if (!pattern || numberingPlans.country_calling_codes[code]?.length !== 1) return "";
  if (exitCode && new RegExp(`^(?:${exitCode})`).test(digits)) return "";
  const [text = "", ...groups] = new RegExp(`^(?:${pattern})`).exec(digits) ?? [];
  return groups.length === 0 ? text : "";
}

function isCountry(text: string): text is Country {
  return Object.hasOwn(numberingPlans.countries, text);
}

/** Holds the parser to the readings of the text that change nothing in it. */
function judge(
  digits: string,
  parsed: PhoneNumber | undefined,
  isFaithful: (number: string) => boolean,
): NumberReading {
  if (parsed === undefined || !parsed.isPossible()) return refused("no such number is possible");
  if (!isFaithful(parsed.number)) {
    return refused(
      `it would have to be rewritten to ${parsed.number}`,
      `if that is who you mean, write ${parsed.number} instead of ${digits}`,
    );
  }
  return { kind: "number", e164: parsed.number, assigned: parsed.isValid() };
}

/** Without `extract: false` the parser would find a number inside other text. */
function parse(digits: string, country?: Country): PhoneNumber | undefined {
  const options = { extract: false, ...(country !== undefined && { defaultCountry: country }) };
  return parsePhoneNumberFromString(digits, options, numberingPlans);
}

function refusedFor(stranger: string, digits: string): NumberReading {
  if (/^\d(\d*,)?\d*E\+?\d+$/iu.test(digits)) {
    return refused("a spreadsheet mangled it", "format the column as text and export the file again");
  }
  // No literal, since V8 goes through the tables of each one at every start.
  if (new RegExp("\\p{L}", "u").test(stranger)) return refused(`it has the letter ${stranger} in it`);
  const codePoint = `U+${(stranger.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return refused(`it has ${/[!-~]/.test(stranger) ? stranger : codePoint} in it`);
}

function refused(reason: string, hint?: string): NumberReading {
  return hint === undefined ? { kind: "refused", reason } : { kind: "refused", reason, hint };
}
