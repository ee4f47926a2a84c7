import metadata from "libphonenumber-js/max/metadata";
import { countryName, type Country, dotFault, readNumber } from "./number.ts";

/** What is wrong with a text that `readNumber` refused. A reason that is absent `readNumber` has said well enough. */
interface NumberFault {
  readonly cause: NumberCause;
  readonly reason?: string;
  readonly hint?: string;
  readonly parts?: readonly string[];
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

/**
 * Returns what is wrong with a text that `readNumber` refused. Loaded only for such a text. `isTyped` is false for a cell of a
 * list, where `n/a` is no name of a file.
 */
export function explainNumber(text: string, country: Country | undefined, isTyped: boolean): NumberFault {
  if (text.trim() === "") return { cause: "no-number" };
  if (/^[^@\s]+@[^@\s]+$/.test(text.trim())) return { cause: "not-a-number", reason: "it is an e-mail address" };
  const reading = readNumber(text, country);
  const isClear = reading.kind === "refused" && /date$|a digit/.test(reading.reason);
  if (isClear) return { cause: reading.reason.endsWith("date") ? "not-a-number" : "impossible" };
  const several =
    severalNumbers(text, /[\r\n,;/|&]+|\s(?:and|or)\s/, country) ?? severalNumbers(text, /[\s,;/|]+/, country);
  if (several !== undefined) return isTyped ? several : { ...several, hint: "give each number a row" };
  const file = isTyped ? fileName(text) : undefined;
  return file ?? oneNumber(text, country);
}

/** Digits with what may stand between them. */
const digitGroups = /\+?\(?\d[-\d\s()./[\]\u00A0\u202F\u2010\u2011]*/g;

/** Dates and times, whose digits are of no number. */
const datesAndTimes =
  /(?<![\d.:/-])(?:(?:19|20)\d\d([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:(?:19|20)?\d\d)|\d{1,2}:\d\d(?::\d\d)?)(?!\d|[.:/-]\d)/g;

/** Returns the number in use beside other words, if it has the only digits: others may be an extension. */
export function numberAmongWords(text: string, country: Country | undefined): string | undefined {
  const [number = "", ...others] = text.replaceAll(datesAndTimes, ",").match(digitGroups) ?? [];
  return others.length === 0 ? inUse(number.replace(/\($/, ""), country) : undefined;
}

/** Returns all numbers in use in a text, whatever else is in it. */
export function numbersWithin(text: string, country: Country | undefined): readonly string[] {
  const parts = [...(text.match(digitGroups) ?? []), ...text.split(/[\s,;/|&]+/)];
  return [...new Set(parts.flatMap((part) => inUse(part.replace(/\($/, ""), country) ?? []))];
}

function severalNumbers(text: string, between: RegExp, country: Country | undefined): NumberFault | undefined {
  const parts = text.split(between).filter((part) => part.trim() !== "");
  const numbers = parts.flatMap((part) => inUse(part, country) ?? (/^\+?\d{9,15}$/.test(part) ? part : []));
  if (parts.length < 2 || numbers.length < parts.length) return undefined;
  const options = numbers.length > 3 ? "each its own --to" : numbers.map((number) => `--to ${number}`).join(" ");
  const hint = `give ${options}; in a file, give each its own line`;
  return { cause: "several", reason: `it is ${numbers.length} numbers`, hint, parts };
}

function fileName(text: string): NumberFault | undefined {
  if (!/^\s*@|^[^:]*[\\/]|\.[a-z]{3,6}$/i.test(text)) return undefined;
  const path = text.trim().replace(/^@/, "");
  const shown = /^[\w./~-]{1,80}$/.test(path) ? path : "FILE";
  const hint = `give a file of recipients with --recipients ${shown}`;
  return { cause: "not-a-number", reason: "it is the name of a file", hint };
}

function oneNumber(text: string, country: Country | undefined): NumberFault {
  const written = text.replace(/[^+\d]/g, "");
  const digits = written.replace(/^\+/, "");
  if (digits === "") return { cause: "not-a-number", reason: "it has no digits" };
  if (/^\s*\d[\d.,]*E\+?\d+\s*$/i.test(text)) return { cause: "mangled" };
  if (/[^-+\d\s().[\]\u00A0\u202F\u2010\u2011]/.test(text)) {
    const cause = digits.length < 5 ? "not-a-number" : "other-text";
    // A link, prose, or the apostrophe of a spreadsheet.
    const only = numberAmongWords(text, country);
    const isCurly = /[\u2018-\u201F]/.test(text);
    return {
      cause,
      ...(isCurly && { reason: "it has curly quotes" }),
      ...(only !== undefined && { hint: `write ${only}` }),
    };
  }
  if (dotFault(text) !== undefined) {
    const [, integer] = /^(.+)\.0+$/.exec(text.trim()) ?? [];
    const whole = integer === undefined ? undefined : inUse(integer, country);
    const cause = integer !== undefined && country === undefined && whole === undefined ? "no-country" : "mangled";
    return { cause, ...(whole !== undefined && { hint: `write ${whole}` }) };
  }
  const abroad = inUse(`+${digits.replace(/^0+/, "")}`, undefined);
  if (/^000?[1-9]/.test(written) && abroad !== undefined) {
    return { cause: "unclear", reason: "it begins with 00 instead of +", hint: `write ${abroad}` };
  }
  const atHome = country === undefined ? undefined : inUse(digits, country);
  const meant = atHome === undefined ? {} : { hint: `write ${atHome} if that is who you mean` };
  const isUnclear = atHome !== undefined || isAmbiguous(text, country);
  const cause = isUnclear ? "unclear" : "impossible";
  if (written.startsWith("+0")) return { cause, reason: "no country's code begins with 0", ...meant };
  if (country === undefined && !written.startsWith("+")) {
    const own = abroad !== undefined && !digits.startsWith("0") ? planOf(abroad)?.country : undefined;
    if (own === undefined) {
      const hint = "give its country, such as --country KE or SMS_COUNTRY=KE, or write it as +2547XXXXXXXX";
      return { cause: "no-country", hint };
    }
    const hint = `write ${abroad}, or give --country ${own}`;
    return { cause: "no-country", reason: "it has no + in front", hint };
  }
  const code = country === undefined ? "" : metadata.countries[country]?.[0];
  const plan = planOf(written.startsWith("+") ? written : `+${code}${digits.replace(/^0/, "")}`);
  if (plan === undefined) return { cause, reason: "no country has the code after its +", ...meant };
  const national = plan.national.replace(/^0+/, "");
  // `readNumber` says how it would have to be rewritten.
  if (plan.lengths.includes(national.length)) return { cause, ...meant };
  const size = national.length < Math.max(...plan.lengths) ? "short" : "long";
  const hint = meant.hint ?? "check its digits, and write it as +2547XXXXXXXX";
  return {
    cause,
    reason: `it is too ${size}, as ${plan.name} have ${plan.lengths.join(" or ")} digits after +${plan.code}`,
    hint,
  };
}

function isAmbiguous(text: string, country: Country | undefined): boolean {
  const reading = readNumber(text, country);
  return reading.kind === "refused" && /^it (?:may be|would have) /.test(reading.reason);
}

/**
 * Returns what the numbers of a country, or of countries that share a code, are: of mobile numbers if the plan has them, else of
 * all. Reads the rows of the library's table by position, as its documentation of metadata has them.
 */
function planOf(e164: string) {
  for (const end of [2, 3, 4]) {
    const code = e164.slice(1, end);
    const [country, another] = metadata.country_calling_codes[code] ?? [];
    const row = country === undefined ? undefined : metadata.countries[country];
    if (country === undefined || row === undefined) continue;
    const mobile: readonly number[] | undefined = row[11]?.[1]?.[1];
    const place = another === undefined ? `of ${countryName(country)}` : `with +${code}`;
    const name = `${mobile === undefined ? "" : "mobile "}numbers ${place}`;
    return { country, code, national: e164.slice(end), lengths: mobile ?? row[3], name };
  }
  return undefined;
}

function inUse(text: string, country: Country | undefined): string | undefined {
  const number = readNumber(text, country);
  return number.kind === "number" && number.assigned ? number.e164 : undefined;
}
