import { numberKey, NumberSet } from "../message/number-set.ts";
import { numberAmongWords, plainDigits, spelledNumber } from "../message/number-fault.ts";
import { readListedNumber } from "../message/number.ts";
import { explained, faultOfNumber, type ReadNumber } from "./check.ts";
import { CauseCounts } from "./faults.ts";
import { areKinds } from "./number-words.ts";
import { bareNumber, numberBeside } from "./pastes.ts";
import { hashKey } from "./duplicates.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import { type Cause, causes, lineText, refusalText, type Row, type RowFault } from "./row.ts";
import { ListFacts, type Source } from "./source.ts";

export interface CleanOptions extends Pick<ReadOptions, "country" | "format" | "toColumn" | "sheet" | "encoding"> {
  readonly mobileOnly?: boolean;
  readonly keepUnassigned?: boolean;
}

/** Each change leaves a number that means the same as before. */
export const changeWords = [
  ["country", "+ and the code of the country added"],
  ["punctuation", "spaces, dots, hyphens or brackets dropped"],
  ["decimals", "the .0 of a spreadsheet dropped"],
  ["prefixes", "00 or a 0 that is dialled only at home dropped"],
  ["digits", "digits of another script written as 0 to 9"],
  ["marks", "an apostrophe, tel: or invisible characters dropped"],
  ["words", "words beside the number dropped"],
] as const;

type Change = (typeof changeWords)[number][0];

/** The findings are complete once the list was read. rows = usable + duplicates + rejected. */
export class Findings {
  readonly list = new ListFacts();
  rows = 0;
  usable = 0;
  sameNumber = 0;
  duplicates = 0;
  rejected = 0;
  noMobile = 0;
  unassigned = 0;
  readonly changes: Partial<Record<Change, number>> = {};
  readonly causes = new CauseCounts();
  readonly firstDuplicates: string[] = [];
}

export type CleanRow = {
  readonly row: Row | RowFault;
  readonly line: number;
} & (
  | { readonly kind: "usable"; readonly to: string }
  | { readonly kind: "duplicate"; readonly to: string; readonly firstLine: number }
  | {
      readonly kind: "rejected";
      readonly cause: Cause;
      readonly reason: string;
      readonly hint?: string;
      readonly suggestion?: string;
    }
);

/** Memory is bounded. Throws for a source that is no list. */
export async function* cleanRows(source: Source, options: CleanOptions, findings: Findings): AsyncGenerator<CleanRow> {
  const numbers = new NumberSet();
  const wholeRows = new NumberSet();
  const { list: facts } = findings;
  for await (const row of readRecipients(source, { ...options, facts, keepsCells: true })) {
    findings.rows++;
    const { line } = row;
    const reading =
      row.kind === "fault" ? row : (row.spoilt ?? (await readCell(row, options, facts.format === "plain")));
    if ("sentence" in reading) {
      yield reject(findings, row, withoutRefused(reading, options));
      continue;
    }
    const { number, changes } = reading;
    const to = number.e164;
    const whole = wholeKey(to, row, facts);
    const firstLine = wholeRows.lineOf(whole);
    if (firstLine !== undefined) {
      yield duplicate(findings, row, to, firstLine);
      continue;
    }
    wholeRows.add(whole, line);
    if (!numbers.add(numberKey(to), line)) findings.sameNumber++;
    findings.usable++;
    if (number.noMobile !== undefined) findings.noMobile++;
    if (!number.assigned) findings.unassigned++;
    for (const change of changes) findings.changes[change] = (findings.changes[change] ?? 0) + 1;
    yield { kind: "usable", row, line, to };
  }
}

function whyLeftOut({ e164, noMobile, assigned }: ReadNumber, options: CleanOptions) {
  if (options.mobileOnly && noMobile !== undefined)
    return { sentence: `${e164} is a ${noMobile}`, cause: "no-mobile" } as const;
  if (assigned || options.keepUnassigned) return undefined;
  const hint = "--keep-unassigned keeps such numbers";
  return { sentence: `${e164} is ${causes.unassigned}`, hint, cause: "unassigned" } as const;
}

/** Suggests only a number that this cleaning takes. */
function withoutRefused(fault: Rejection, options: CleanOptions): Rejection {
  const { suggestion, hint } = fault;
  const number = suggestion === undefined ? undefined : readListedNumber(suggestion);
  if (suggestion === undefined || (number?.kind === "number" && whyLeftOut(number, options) === undefined))
    return fault;
  return { ...fault, suggestion: undefined, hint: hint?.includes(suggestion) ? undefined : hint };
}

function wholeKey(to: string, row: Row | RowFault, { columns }: ListFacts): number {
  const numberKeys = columns === undefined ? [] : [columns.to, ...columns.others].map((index) => columns.keys[index]);
  const fields = row.kind === "row" ? Object.entries(row.fields) : [];
  const others = fields.filter(([key, value]) => (row.kind !== "row" || value !== row.to) && !numberKeys.includes(key));
  return hashKey(JSON.stringify([to, ...others]));
}

export function duplicate(findings: Findings, row: Row | RowFault, to: string, firstLine: number): CleanRow {
  const { line } = row;
  findings.duplicates++;
  const first = lineText(firstLine, true, row.where && "row");
  if (findings.firstDuplicates.length < 3)
    findings.firstDuplicates.push(`${row.where ?? lineText(line)}: ${to}, first on ${first}`);
  return { kind: "duplicate", row, line, to, firstLine };
}

export function reject(findings: Findings, row: Row | RowFault, fault: Rejection): CleanRow {
  const { sentence, hint, suggestion, cause = "row" } = fault;
  findings.rejected++;
  findings.causes.add(cause, `${row.where ?? lineText(row.line)}: ${sentence}`, hint);
  // The row itself stands next to the sentence.
  const cell = row.kind === "row" ? refusalText(bareNumber(row.to), "") : "";
  const rest = sentence.startsWith(cell) ? sentence.slice(cell.length) : sentence;
  return { kind: "rejected", row, line: row.line, cause, reason: rest, hint, suggestion };
}

type Rejection = Pick<RowFault, "sentence" | "hint" | "suggestion" | "cause">;

interface ReadCell {
  readonly number: ReadNumber;
  readonly changes: readonly Change[];
}

async function readCell(row: Row, options: CleanOptions, isPlain: boolean): Promise<ReadCell | Rejection> {
  const { country } = options;
  const reading = readCertain(row.to, country);
  if (reading.kind === "number") {
    const { number, changes } = reading;
    const isWithoutWords = isPlain && row.cells !== undefined && row.fields["name"] === "";
    return whyLeftOut(number, options) ?? { number, changes: isWithoutWords ? ["words", ...changes] : changes };
  }
  const beside = numberBeside(row.to, country);
  const certain = beside && areKinds(beside.words) ? readCertain(beside.number, country) : undefined;
  if (certain?.kind === "number")
    return whyLeftOut(certain.number, options) ?? { ...certain, changes: ["words", ...certain.changes] };
  const text = bareNumber(row.to);
  const fault = await explained(faultOfNumber({ ...row, to: text }, reading, country));
  const words = numberAmongWords(plainDigits(text), country)?.words ?? "";
  return words.trim() === "" ? fault : { ...fault, sentence: refusalText(text, "other words stand beside it") };
}

/** Each repair leaves the number that was meant. */
export function readCertain(text: string, country: CleanOptions["country"]) {
  const bareText = bareNumber(text);
  const changes: Change[] = bareText === text.trim() ? [] : ["marks"];
  const plain = plainDigits(bareText);
  const digits = /^\+?\d{1,3}(?:,\d{3})+(?:\.00?)?$/.test(plain) ? plain.replaceAll(",", "") : plain;
  const isAbroad = digits.startsWith("+");
  const home = isAbroad || /^\D*$/.test(digits) ? undefined : country;
  const reading = readListedNumber(digits, home);
  const isInUse = reading.kind === "number" && reading.assigned;
  const spelling = isInUse ? undefined : spelledNumber(digits, home);
  const number = spelling ?? reading;
  if (number.kind === "unreadable") return number;
  if (spelling !== undefined) changes.push("prefixes");
  if (!isAbroad && !digits.startsWith("00")) changes.push("country");
  if (/[^\P{Nd}0-9]/u.test(bareText)) changes.push("digits");
  if (number.isDecimal) changes.push("decimals");
  else if (/[^+\p{Nd}]/u.test(bareText)) changes.push("punctuation");
  return { kind: "number", number, changes } as const;
}
