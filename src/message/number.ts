import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";
import { usageError } from "../errors.ts";
import { codePointOf } from "./segments.ts";

/** `assigned` is false for a possible number in no range known to be in use, `isDecimal` true for a decimal of a spreadsheet. */
export type NumberReading =
  | {
      readonly kind: "number";
      readonly e164: string;
      readonly assigned: boolean;
      readonly isDecimal?: true;
      /** Absent where mobile numbers share their ranges with others: there nobody can tell. */
      readonly noMobile?: NoMobile;
    }
  | UnreadableNumber;

export interface UnreadableNumber {
  readonly kind: "unreadable";
  readonly reason: string;
  readonly hint?: string;
  readonly suggestion?: string;
}

export type NoMobile =
  | "landline"
  | "premium-rate number"
  | "shared-cost number"
  | "toll-free number"
  | "pager"
  | "company number"
  | "internet number"
  | "personal number"
  | "voice mail number";

const noMobiles: Partial<Record<NonNullable<ReturnType<PhoneNumber["getType"]>>, NoMobile>> = {
  FIXED_LINE: "landline",
  PREMIUM_RATE: "premium-rate number",
  SHARED_COST: "shared-cost number",
  TOLL_FREE: "toll-free number",
  PAGER: "pager",
  UAN: "company number",
  VOIP: "internet number",
  PERSONAL_NUMBER: "personal number",
  VOICEMAIL: "voice mail number",
};

export type Country = CountryCode;

/** People put these into numbers, and dropping them does not change the number. */
export const punctuation = /[ \u00A0\u202F\u2010\u2011().[\]-]/gu;

/** The digits of a date could be a number in some countries. */
export const date =
  /^(?:(?:19|20)\d\d([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:19|20)\d\d|[0-3]?\d([-./])[0-3]?\d\3\d\d)(?:[T ][\d:.]+Z?)?$/;

const mostCharacters = 250;

/** Behind fewer than four digits a slash starts another number, as 57 in 123456/57, or an extension. */
const slash = /(?<=\d\d)\s*\/(?=(?:[^\d/]*\d){4})\s*/g;

/** A person counts the lines of a list; no number begins with a group that a bracket only closes. */
export const countInFront = /^\s*[1-9]\d{0,3}(?:\.\s|\.(?=\p{L})|\))\s*(?=[\p{L}+(\d])/u;

const countBeside = /^\s*[([]?[1-9]\d{0,2}[)\]]?[\s-]+[([]?[+0]/;

/** Digits in brackets at the end count something, or are an extension. */
export const countBehind = /\d[\s-]*[([]\d{1,3}[)\]]\s*$/;

const strayDot = /(?<!\d\d[^\d.]*)\.|\.(?![^\d.]*\d\d)/;

/** ITU-T E.164 6.2.1 has the 15 digits; no country's code and number are shorter than 8. */
const e164 = /^\+[1-9]\d{7,14}$/;

export const sixZeros = /^\s*[1-9]\d*000000(\.00?)?\s*$/;

const lookUp = "look it up: its last digits are lost";

/** A spreadsheet may write `712345678.0`, which is read without its `.0`. */
export function readListedNumber(text: string, country?: Country): NumberReading {
  if (sixZeros.test(text)) return unreadable("it ends in six zeros, so a spreadsheet rounded it", lookUp);
  const whole = text.includes(".") ? /^(\+?\d+)\.00?$/.exec(text.trim())?.[1] : undefined;
  const reading = readNumber(whole ?? text, country);
  return whole === undefined || reading.kind === "unreadable" ? reading : { ...reading, isDecimal: true };
}

/** Refuses a text that would need a repair. */
export function readNumber(text: string, country?: Country): NumberReading {
  if (text.length > mostCharacters) return unreadable("it is longer than any number");
  if (date.test(text.trim())) return unreadable("it is a date");
  if (countInFront.test(text)) return unreadable("it begins with a count", "write the number only");
  if (countBehind.test(text)) return unreadable("it ends with digits in brackets", "write the number only");
  const whole = withoutTrunk(text);
  const digits = whole.replace(slash, "").trim().replace(punctuation, "");
  if (digits === "") return unreadable("there is no number");
  const unexpected = /[^+\d]/u.exec(digits)?.[0];
  if (unexpected !== undefined) return unreadableFor(unexpected, digits);
  const dots = text.includes(".") ? dotFault(text) : undefined;
  if (dots !== undefined) return dots;
  if (digits.lastIndexOf("+") > 0) return unreadable("it has a + in the middle");

  if (digits.startsWith("+")) {
    if (!e164.test(digits)) return unreadable("it is not E.164: a +, then 8 to 15 digits, the first not 0");
    const parsed = parsePhoneNumberFromString(digits, { extract: false });
    const reading = judge(digits, parsed, (number) => number === digits);
    // Italy keeps its 0, and Gabon has numbers with and without.
    const mayBeDialled = () => readNumber(text.replace("(0)", "0")).kind === "number";
    const isUnclear = whole !== text && reading.kind === "number" && (!reading.assigned || mayBeDialled());
    return isUnclear ? unreadable("it is not clear whether its (0) is dialled", "write it without the (0)") : reading;
  }
  if (country === undefined)
    return unreadable("it has no country", "write it with + and the country's code, or give --country CC");
  const code = getCountryCallingCode(country);
  const isBehindCode = digits.startsWith(`${code}0`) && new RegExp(`^\\s*${code}\\s*\\(0\\)`).test(text);
  const reading = isBehindCode ? readNumber(`+${text.trim()}`) : readNational(digits, country);
  const isNoMobile = reading.kind === "number" && (!reading.assigned || reading.noMobile !== undefined);
  return isNoMobile && countBeside.test(text)
    ? unreadable("it may begin with a count", "write the number only")
    : reading;
}

/** Elsewhere than behind a country's code, a 0 in brackets is a digit of the number. */
function withoutTrunk(text: string): string {
  const [start, code = ""] = /^\s*\+(\d{1,3})\s*\(0\)/.exec(text) ?? [];
  return start !== undefined && metadata.country_calling_codes[code] ? `+${code}${text.slice(start.length)}` : text;
}

/** If digits may be a number of the country or E.164, only the person knows who is meant. */
function readNational(digits: string, country: Country): NumberReading {
  const parsed = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  const international = `+${digits}`;
  const mobile = behindItsCode(digits, country);
  if (mobile === international) return { kind: "number", e164: mobile, assigned: true, noMobile: undefined };
  if (mobile !== undefined) return rewritten(digits, mobile);
  if (parsed !== undefined && parsed.number !== international && digits.startsWith(getCountryCallingCode(country))) {
    const other = parsePhoneNumberFromString(international, { extract: false });
    if (other?.isPossible() && other.number === international && parsed.isPossible())
      return unreadable(`it may be ${parsed.number} or ${international}`, "write the one you mean, with its +");
  }
  // The parser leaves the prefix in what is too short for a number, and then calls the result possible.
  const nationalPrefix = metadata.countries[country]?.[5];
  const isPrefixLeft = digits.startsWith("0") && nationalPrefix === "0" && parsed?.nationalNumber === digits;
  if (isPrefixLeft && !parsed.isValid()) return unreadable("no such number is possible");
  const hasPrefix = () => parsed?.formatNational().replace(/\D/g, "") === digits;
  return judge(
    digits,
    parsed,
    (number) => number === international || parsed?.nationalNumber === digits || hasPrefix(),
  );
}

/** A mobile number behind the code of its own country, with or without the 0 that is dialled at home. */
export function behindItsCode(digits: string, country: Country): string | undefined {
  const code = getCountryCallingCode(country);
  if (!digits.startsWith(code)) return undefined;
  const whole = parsePhoneNumberFromString(`+${digits}`, { extract: false });
  const isInUse = whole?.number === `+${digits}` && whole.isValid();
  const number = isInUse ? whole.number : `+${code}${digits.slice(code.length).replace(/^0/, "")}`;
  if (!isMobile(number)) return undefined;
  const atHome = parsePhoneNumberFromString(digits, { defaultCountry: country, extract: false });
  return atHome === undefined || atHome.number === number || !isMobile(atHome.number) ? number : undefined;
}

/** Throws a usage error, which names `source`, for a country that has no numbering plan. */
export function readCountry(text: string, source?: string): Country {
  const country = text.toUpperCase();
  if (isSupportedCountry(country)) return country;
  throw usageError(
    "INVALID_COUNTRY",
    `${JSON.stringify(text)} is not the code of a country${source === undefined ? "" : ` (from ${source})`}`,
    codeHint(text),
  );
}

function codeHint(text: string): string {
  if (text.toUpperCase() === "UK") return "the United Kingdom is GB";
  const names = new Intl.DisplayNames("en", { type: "region" });
  const code = Object.keys(metadata.countries).find(
    (country) => names.of(country)?.toLowerCase() === text.toLowerCase(),
  );
  return code === undefined ? "give the two letters of ISO 3166, such as KE for Kenya" : `${names.of(code)} is ${code}`;
}

/** The digits after a dot that is no punctuation would make another number. */
export function dotFault(text: string): UnreadableNumber | undefined {
  const [, fraction = "", ...more] = text.replace(/[^\d.]/g, "").split(".");
  const isZero = /^0+$/.test(fraction);
  if (more.length === 0 && (isZero || /^\d\d?$/.test(fraction)))
    return unreadable(`it ends in a fraction, .${fraction}`, isZero ? `leave the .${fraction} out` : undefined);
  if (!strayDot.test(text)) return undefined;
  return unreadable("it has a dot that is not between groups of two digits or more", "write it without dots");
}

/** Accepts the parser's number only if nothing in the text changes. */
function judge(
  digits: string,
  parsed: PhoneNumber | undefined,
  isFaithful: (number: string) => boolean,
): NumberReading {
  if (parsed === undefined || !parsed.isPossible() || !e164.test(parsed.number))
    return unreadable("no such number is possible");
  const type = parsed.getType();
  const fault = type === undefined ? digitFault(parsed.number) : undefined;
  if (fault !== undefined) return fault;
  if (!isFaithful(parsed.number)) return rewritten(digits, parsed.number);
  const meant = type === undefined ? withoutZero(digits, parsed) : undefined;
  if (meant !== undefined) return rewritten(digits, meant);
  const noMobile = type === undefined ? undefined : noMobiles[type];
  return { kind: "number", e164: parsed.number, assigned: type !== undefined, noMobile };
}

/** The number in use that is meant if the 0 behind the country's code is dialled at home only. */
function withoutZero(digits: string, { number, countryCallingCode: code }: PhoneNumber): string | undefined {
  return [number, `+${digits}`]
    .filter((each) => each.startsWith(`+${code}0`))
    .map((each) => each.replace(`+${code}0`, `+${code}`))
    .find((each) => parsePhoneNumberFromString(each, { extract: false })?.isValid());
}

function rewritten(digits: string, number: string): UnreadableNumber {
  const hint = `if that is who you mean, write ${number} instead of ${digits}`;
  return { ...unreadable(`it would have to be rewritten to ${number}`, hint), suggestion: number };
}

function digitFault(number: string): UnreadableNumber | undefined {
  // Brazil put a 9 before the eight digits of each mobile number.
  const withNine = number.replace(/^(\+55\d\d)(?=[6-9]\d{7}$)/, "$19");
  if (withNine !== number && isMobile(withNine))
    return { ...unreadable("it lacks the 9 of mobile numbers", `write ${withNine}`), suggestion: withNine };
  if (Array.from("0123456789").some((digit) => isMobile(number + digit)))
    return unreadable("it lacks a digit", checkDigits);
  return isMobile(number.slice(0, -1)) ? unreadable("it has a digit too many", checkDigits) : undefined;
}

function isMobile(number: string): boolean {
  const parsed = parsePhoneNumberFromString(number, { extract: false });
  return parsed?.number === number && ["MOBILE", "FIXED_LINE_OR_MOBILE"].includes(parsed.getType() ?? "");
}

const checkDigits = "check its digits";

function unreadableFor(unexpected: string, digits: string): UnreadableNumber {
  if (/^\d(\d*,)?\d*E\+?\d+$/iu.test(digits)) return unreadable("a spreadsheet mangled it", lookUp);
  if (/\p{L}/u.test(digits) && !/\p{C}/u.test(unexpected)) return unreadable("it has letters in it");
  return unreadable(`it has ${/[!-~]/.test(unexpected) ? JSON.stringify(unexpected) : codePointOf(unexpected)} in it`);
}

function unreadable(reason: string, hint?: string): UnreadableNumber {
  return { kind: "unreadable", reason, hint };
}
