import { getCountryCallingCode, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";
import examples from "libphonenumber-js/mobile/examples";
import {
  behindItsCode,
  countBehind,
  countInFront,
  type Country,
  date,
  dotFault,
  type NumberReading,
  punctuation,
  readNumber,
  sixZeros,
} from "./number.ts";

interface NumberFault {
  readonly cause: NumberCause;
  readonly reason?: string;
  readonly hint?: string;
  readonly suggestion?: string;
}

type NumberCause =
  | "several"
  | "mangled"
  | "no-number"
  | "not-a-number"
  | "other-text"
  | "no-country"
  | "unclear"
  | "impossible";

const mostCharacters = 500;

/** `isTyped` is false for a cell of a list, where `n/a` is no name of a file. */
export function explainNumber(text: string, country: Country | undefined, isTyped: boolean): NumberFault {
  if (text.trim() === "") return { cause: "no-number", hint: isTyped ? undefined : "fill it in, or remove the row" };
  if (text.length > mostCharacters) return { cause: "not-a-number", reason: "it is longer than any number" };
  if (/^[^@\s]+@[^@\s]+$/.test(text.trim())) return { cause: "not-a-number", reason: "it is an e-mail address" };
  const reading = readNumber(text, country);
  const why = reading.kind === "unreadable" ? reading.reason : "";
  if (why.endsWith("date")) return { cause: "not-a-number" };
  if (!isTyped && sixZeros.test(text)) return { cause: "mangled" };
  if (/a digit|the 9/.test(why)) return { cause: "impossible" };
  const several =
    severalNumbers(text.split(/[\r\n,;/|&]+/), country) ??
    severalNumbers(text.split(/[\s,;/|]+/), country) ??
    severalNumbers(groupsIn(plainDigits(text)), country);
  if (several !== undefined) return isTyped ? several : { ...several, hint: "give each number a row" };
  if (/^\s*\+?\d[\d\s().-]{5,}\/\s*\d{1,3}\s*$/.test(text))
    return { cause: "several", reason: "it is two numbers, and the second is cut short", hint: "write both whole" };
  const isAmbiguous = /^it (?:may be|would have) /.test(why);
  return (isTyped ? fileName(text) : undefined) ?? oneNumber(text, country, isAmbiguous);
}

/** Drops what a country dials in front, as in `+44 07…` and `+52 1…`. Undefined unless one number remains. */
export function spelledNumber(
  text: string,
  country: Country | undefined,
): Extract<NumberReading, { kind: "number" }> | undefined {
  const digits = text.replace(punctuation, "");
  const isCounted = countInFront.test(text) || countBehind.test(text);
  const isOther = isCounted || date.test(text.trim()) || sixZeros.test(text) || dotFault(text) !== undefined;
  if (isOther || !/^\+?\d{7,20}$/.test(digits)) return undefined;
  const mobile = country === undefined ? undefined : behindItsCode(digits, country);
  const all = [digits, ...(text.includes("(0)") ? [text.replace("(0)", "").replace(punctuation, "")] : [])];
  const numbers = new Set(
    (mobile === undefined ? all.flatMap((each) => waysToWrite(each, country)) : [mobile]).flatMap((way) => {
      const parsed = parsePhoneNumberFromString(way, { defaultCountry: country, extract: false });
      return parsed?.isValid() ? parsed.number : [];
    }),
  );
  const [number, another] = numbers;
  if (number === undefined || another !== undefined) return undefined;
  const reading = readNumber(number);
  return reading.kind === "number" ? reading : undefined;
}

function waysToWrite(digits: string, country: Country | undefined): readonly string[] {
  const codes = [1, 2, 3]
    .map((length) => digits.slice(1, length + 1))
    .filter((code) => metadata.country_calling_codes[code]);
  const ways = digits.startsWith("+")
    ? [digits, ...codes.map((code) => `+${code}${digits.slice(code.length + 1).replace(/^0/, "")}`)]
    : digits.startsWith("00")
      ? [`+${digits.slice(2)}`]
      : [];
  if (country !== undefined && !digits.startsWith("+")) {
    const code = getCountryCallingCode(country);
    ways.push(digits, digits.startsWith("00") ? digits : `+${code}${digits.replace(/^0/, "")}`);
    if (digits.startsWith(code)) ways.push(`+${digits}`);
    if (country === "MX") ways.push(`+52${digits.replace(/^(?:01|04[45])(?=\d{10}$)/, "")}`);
  }
  // Mexico had a 1 before mobile numbers until 2019.
  return [...ways, ...ways.map((way) => way.replace(/^\+521(?=\d{10}$)/, "+52"))];
}

export function writtenForm(country: Country | undefined): string {
  const example = country === undefined ? undefined : getExampleNumber(country, examples);
  if (example === undefined) return "write it with + and the country's code";
  const { countryCallingCode, nationalNumber } = example;
  // If mobile numbers have no ranges of their own, the first digit names a region.
  const first = example.getType() === "MOBILE" ? nationalNumber.charAt(0) : "";
  return `write it as +${countryCallingCode}${first}${"X".repeat(nationalNumber.length - first.length)}`;
}

const digitGroups = /\+?\(?\d[-\d\s()./[\]\u00A0\u202F\u2010\u2011]*/g;

/** If a letter touches a digit, the letter may stand for a digit, such as O for 0. */
const touchingLetters = /[\p{L}\p{No}]\+?\d|\d[\p{L}\p{No}]/u;

const datesAndTimes =
  /(?<![\d.:/-])(?:(?:19|20)\d\d([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:(?:19|20)?\d\d)|\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.? ?m\b\.?)?)(?!\d|[.:/-]\d)/gi;

/** Undefined if the text has other digits, which may be an extension. */
export function numberAmongWords(
  text: string,
  country: Country | undefined,
): { readonly number: string; readonly words: string } | undefined {
  if (text.length > mostCharacters) return undefined;
  const dateless = text.replace(countInFront, "").replaceAll(datesAndTimes, ",");
  if (touchingLetters.test(dateless)) return undefined;
  const [group = "", ...others] = dateless.match(digitGroups) ?? [];
  const digits = group.replace(/\($/, "");
  const number = others.length === 0 ? inUse(digits, country) : undefined;
  return number === undefined ? undefined : { number: digits.trim(), words: dateless.replace(digits, " ") };
}

/** Words and marks stand between numbers; blanks, dashes, dots, slashes and brackets may stand within one. */
const betweenNumbers = /[^-+\d ()./[\]]+/u;

/** A count, such as `2.` or `(2)`, or a bracket that opens behind five digits, begins another number. */
const beginnings = /(?<=^|[\s-])(?:\d{1,2}\.|\(?\d\))\s+(?=[+(\d])|(?<=(?:\d[^\d(]*){5})(?=\()/g;

const mostGroups = 8;

/** Digits that are left over may be a number that is cut short, unless they are one digit among words. */
export function numbersWithin(
  text: string,
  country: Country | undefined,
): { readonly numbers: readonly string[]; readonly isWhole: boolean } {
  const plain = plainDigits(text)
    .replace(countInFront, "")
    .replaceAll(datesAndTimes, ",")
    .replaceAll(beginnings, ",")
    .replaceAll(/(?<!\d)\d{1,2}(?=\p{L})/gu, ",");
  const numbers = new Set<string>();
  let isWhole = true;
  for (const part of plain.split(betweenNumbers)) {
    const groups = [...part.matchAll(/(?:\+(?!0))?[([]?\d+[)\]]?/g)];
    let isFound = false;
    let leftOver = "";
    for (let from = 0; from < groups.length; from++) {
      const { number, to = from } = longestNumber(part, groups, from, country) ?? {};
      if (number === undefined) leftOver += groups[from]?.[0].replace(/\D/g, "") ?? "";
      else numbers.add(number);
      isFound ||= number !== undefined;
      from = to;
    }
    if (leftOver.length > (isFound ? 0 : 1)) isWhole = false;
  }
  return { numbers: [...numbers], isWhole };
}

function longestNumber(part: string, groups: readonly RegExpExecArray[], from: number, country: Country | undefined) {
  for (let to = Math.min(groups.length, from + mostGroups) - 1; to >= from; to--) {
    const [first, last] = [groups[from], groups[to]];
    if (first === undefined || last === undefined) return undefined;
    const isAlone = from === 0 && to === groups.length - 1;
    const number = numberOfPart(part.slice(first.index, last.index + last[0].length), country, isAlone);
    if (number !== undefined) return { number, to };
  }
  return undefined;
}

/** Part of a longer text may be in use by chance, as a landline that lacks its 0. */
function numberOfPart(text: string, country: Country | undefined, isAlone: boolean): string | undefined {
  const number = readNumber(text, country);
  const isMarked = /^[([]?[+0]/.test(text);
  if (number.kind === "unreadable") return isMarked ? spelledNumber(text, country)?.e164 : undefined;
  const { e164, assigned, noMobile } = number;
  return (assigned ? isMarked || noMobile === undefined : isMarked && isAlone) ? e164 : undefined;
}

/** The words between numbers differ from language to language. */
function groupsIn(text: string): readonly string[] {
  const groups = (text.match(digitGroups) ?? [])
    .flatMap((group) => (group.replace(/\D/g, "").length > 15 ? group.split("/") : group))
    .map((group) => group.replace(/[\s(./-]+$/, ""));
  return groups.filter((group) => group.replace(/\D/g, "").length > 5);
}

function severalNumbers(texts: readonly string[], country: Country | undefined): NumberFault | undefined {
  const parts = texts.filter((part) => part.trim() !== "");
  const numbers = parts.flatMap((part) => inUse(part, country) ?? (/^\+?\d{9,15}$/.test(part) ? part : []));
  if (parts.length < 2 || numbers.length < parts.length) return undefined;
  const all = numbers.length > 3 ? "" : `: ${numbers.join(" and ")}`;
  const hint = `give each by itself${all}`;
  return { cause: "several", reason: `it is ${numbers.length} numbers`, hint };
}

function fileName(text: string): NumberFault | undefined {
  if (!/^\s*@|^[^:]*[\\/]|\.[a-z]{3,6}$/i.test(text)) return undefined;
  const path = text.trim().replace(/^@/, "");
  const file = /^[\w./~-]{1,80}$/.test(path) ? path : "FILE";
  const hint = `\`sms send --recipients ${file}\` sends to a file, and \`sms optout import ${file}\` opts its numbers out`;
  return { cause: "not-a-number", reason: "it is the name of a file", hint };
}

function oneNumber(text: string, country: Country | undefined, isAmbiguous: boolean): NumberFault {
  const number = text.replace(/[^+\d]/g, "");
  const digits = number.replace(/^\+/, "");
  if (digits === "") {
    if (!/\p{Nd}/u.test(text)) return { cause: "not-a-number", reason: "it has no digits" };
    return { cause: "unclear", reason: "its digits are not 0 to 9", ...writing(inUse(plainDigits(text), country)) };
  }
  if (/^\s*\d[\d.,]*E\+?\d+\s*$/i.test(text)) return { cause: "mangled" };
  if (/[^-+\d\s().[\]\u00A0\u202F\u2010\u2011]/.test(text)) {
    const cause = digits.length < 5 ? "not-a-number" : "other-text";
    if (touchingLetters.test(text) && !/\p{C}/u.test(text)) return { cause, reason: "letters touch its digits" };
    const only = numberAmongWords(plainDigits(text), country);
    const reason = /[\u2018-\u201F]/.test(text) ? "it has curly quotes" : undefined;
    return { cause, reason, ...writing(only && inUse(only.number, country)) };
  }
  if (dotFault(text) !== undefined) {
    const [, integer] = /^(.+)\.0+$/.exec(text.trim()) ?? [];
    const whole = integer === undefined ? undefined : inUse(integer, country);
    const cause = integer !== undefined && country === undefined && whole === undefined ? "no-country" : "mangled";
    return { cause, ...writing(whole) };
  }
  const abroad = inUse(`+${digits.replace(/^0+/, "")}`, undefined);
  if (/^000?[1-9]/.test(number) && abroad !== undefined)
    return { cause: "unclear", reason: "it begins with 00 instead of +", ...writing(abroad) };
  const atHome = country === undefined ? undefined : (inUse(digits, country) ?? spelledNumber(text, country)?.e164);
  const way = atHome === undefined ? {} : { hint: `write ${atHome} if that is who you mean`, suggestion: atHome };
  const cause = atHome !== undefined || isAmbiguous ? "unclear" : "impossible";
  if (number.startsWith("+0")) return { cause, reason: "no country's code begins with 0", ...way };
  if (!number.startsWith("+") && cause === "impossible") {
    const home = abroad !== undefined && !digits.startsWith("0") ? planOf(abroad)?.country : undefined;
    if (home !== undefined && country !== undefined) {
      const reason = `it has no + in front, if it is a number of ${countryName(home)}`;
      return { cause: "unclear", reason, ...writing(abroad) };
    }
    if (home !== undefined) {
      const hint = `write ${abroad}, or give --country ${home}`;
      return { cause: "no-country", reason: "it has no + in front", hint, suggestion: abroad };
    }
    if (country === undefined) {
      const ways = "give its country with --country CC, or for good with `sms profiles set country CC`";
      return { cause: "no-country", hint: `${ways}; or write it with + and the country's code` };
    }
  }
  const code = country === undefined ? "" : metadata.countries[country]?.[0];
  const plan = planOf(number.startsWith("+") ? number : `+${code}${digits.replace(/^0/, "")}`);
  if (plan === undefined) return { cause, reason: "no country has the code after its +", ...way };
  const national = plan.national.replace(/^0+/, "");
  // `readNumber` says how it would have to be rewritten.
  if (plan.lengths.includes(national.length)) return { cause, ...way };
  const size = national.length < Math.max(...plan.lengths) ? "short" : "long";
  const reason = `it is too ${size}, as ${plan.name} have ${plan.lengths.join(" or ")} digits after +${plan.code}`;
  return { cause, reason, hint: `check its digits, and ${writtenForm(plan.isAlone ? plan.country : country)}`, ...way };
}

function writing(number: string | undefined): Pick<NumberFault, "hint" | "suggestion"> {
  return number === undefined ? {} : { hint: `write ${number}`, suggestion: number };
}

export function plainDigits(text: string): string {
  return text
    .replace(/[^\P{Nd}0-9]/gu, digitOf)
    .replace(/[\uFF01-\uFF5E]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/[\p{Pd}\u2212\u02D7\u2043]/gu, "-")
    .replace(/\p{Zs}/gu, " ");
}

/** Each script has its digits in a row, from 0 to 9. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** The library's documentation of metadata has the rows of its table by position. */
function planOf(e164: string) {
  for (const end of [2, 3, 4]) {
    const code = e164.slice(1, end);
    const [country, another] = metadata.country_calling_codes[code] ?? [];
    const row = country === undefined ? undefined : metadata.countries[country];
    if (country === undefined || row === undefined) continue;
    const mobile: readonly number[] | undefined = row[11]?.[1]?.[1];
    const place = another === undefined ? `of ${countryName(country)}` : `with +${code}`;
    const name = `${mobile === undefined ? "" : "mobile "}numbers ${place}`;
    const isAlone = another === undefined;
    return { country, isAlone, code, national: e164.slice(end), lengths: mobile ?? row[3], name };
  }
  return undefined;
}

function inUse(text: string, country: Country | undefined): string | undefined {
  const number = readNumber(text, country);
  return number.kind === "number" && number.assigned ? number.e164 : undefined;
}

function countryName(code: string): string {
  return new Intl.DisplayNames(["en"], { type: "region" }).of(code) ?? code;
}

export function countries(): readonly { readonly code: string; readonly name: string }[] {
  return Object.keys(metadata.countries).map((code) => ({ code, name: countryName(code) }));
}
