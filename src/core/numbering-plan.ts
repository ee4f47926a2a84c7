import type { CountryCode } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";

/** What is needed of a country's plan to read a number, with its patterns compiled. */
interface NumberingPlan {
  readonly lengths: readonly number[];
  /** What is dialled before a number in another country. */
  readonly exitCode: RegExp | undefined;
  /** How the numbers of the country begin, if that tells them from those of others with the same calling code. */
  readonly leadingDigits: RegExp | undefined;
  /** What is dialled before a number inside the country, and stripped by the parser. */
  readonly nationalPrefix: RegExp | undefined;
  /** Whether a number has the shape of the country's, whether in use or not. */
  readonly isShaped: (national: string) => boolean;
  readonly isAssigned: (national: string) => boolean;
}

/** A kind of number, such as mobile: its pattern, and its lengths if they are not those of the country. */
type LibraryType = readonly [pattern: string, lengths?: readonly number[]] | 0 | null;

/** The plans of each calling code that was looked up, that of its main country first. */
const plansByCode = new Map<string, readonly NumberingPlan[]>();

/**
 * Whether an E.164 number lies in a range known to be in use, by the tables of libphonenumber and as its parser reads them,
 * at a fifteenth of the parser's time. Undefined if only the parser can tell: if the number is not possible, or seems to have
 * a national prefix in it, which the parser might drop.
 */
export function isAssigned(e164: string): boolean | undefined {
  for (const codeEnd of [2, 3, 4]) {
    const plans = plansOf(e164.slice(1, codeEnd));
    const [main] = plans;
    if (main === undefined) continue;
    const national = e164.slice(codeEnd);
    if (main.nationalPrefix?.test(national)) return undefined;
    const plan = plans.length === 1 ? main : (plans.find((own) => isIn(own, national)) ?? main);
    return plan.lengths.includes(national.length) ? plan.isAssigned(national) : undefined;
  }
  return undefined;
}

/**
 * The E.164 number in use that digits without a + are in a country, read as `isAssigned` reads; at most a national prefix of
 * two digits is dropped. Undefined if only the parser can tell, as it is if countries share a calling code.
 */
export function assignedNumber(digits: string, country: CountryCode): string | undefined {
  const code: string = metadata.countries[country]?.[0] ?? "";
  const [plan, another] = plansOf(code);
  if (plan === undefined || another !== undefined || plan.exitCode?.test(digits)) return undefined;
  const prefix = plan.nationalPrefix?.exec(digits);
  if (digits.startsWith(code)) {
    const isNational = prefix || plan.isShaped(digits);
    return !isNational && isAssigned(`+${digits}`) ? `+${digits}` : undefined;
  }
  // A group in the prefix is a carrier, or the beginning of a rule to rewrite by.
  if (prefix && (prefix.length > 1 || prefix[0].length > 2)) return undefined;
  const national = digits.slice(prefix?.[0].length ?? 0);
  const isInUse = plan.lengths.includes(national.length) && plan.isAssigned(national);
  return isInUse ? `+${code}${national}` : undefined;
}

/** Returns what is dialled before a number inside the country; undefined if nothing is. */
export function nationalPrefixOf(country: CountryCode): string | undefined {
  return metadata.countries[country]?.[5];
}

function isIn({ leadingDigits, isAssigned: isItsOwn }: NumberingPlan, national: string): boolean {
  return leadingDigits === undefined ? isItsOwn(national) : leadingDigits.test(national);
}

function plansOf(callingCode: string): readonly NumberingPlan[] {
  let plans = plansByCode.get(callingCode);
  if (plans === undefined) {
    plans = (metadata.country_calling_codes[callingCode] ?? []).map(compile);
    plansByCode.set(callingCode, plans);
  }
  return plans;
}

/** Reads a country's row of the library's table by position, as `metadata.js` of the library does. */
function compile(country: CountryCode): NumberingPlan {
  const row = metadata.countries[country] ?? [];
  const general: string = row[2];
  const lengths: readonly number[] = row[3];
  const prefix: string | undefined = row[7] || row[5];
  const leadingDigits: string | undefined = row[10];
  const types: readonly LibraryType[] = row[11];
  const exitCode: string | undefined = row[1];
  const generalPattern = whole(general);
  const isShaped = (national: string) => generalPattern.test(national);
  const ranges = types.flatMap((type) =>
    type && type[0] ? [{ pattern: whole(type[0]), lengths: type[1] ?? lengths }] : [],
  );
  return {
    lengths,
    isShaped,
    exitCode: exitCode ? beginning(exitCode) : undefined,
    leadingDigits: leadingDigits ? beginning(leadingDigits) : undefined,
    nationalPrefix: prefix ? beginning(prefix) : undefined,
    isAssigned: (national) =>
      isShaped(national) &&
      ranges.some((range) => range.lengths.includes(national.length) && range.pattern.test(national)),
  };
}

function beginning(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}
