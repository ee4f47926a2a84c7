import { numberKey, NumberSet } from "../message/number-set.ts";
import { numberAmongWords } from "../message/number-fault.ts";
import { type NumberReading, readListedNumber } from "../message/number.ts";
import { explained, faultOfNumber } from "./check.ts";
import { CauseCounts } from "./faults.ts";
import { ListFacts } from "./source.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import { type Cause, lineText, refusalText, type Row, type RowFault } from "./row.ts";
import type { Source } from "./source.ts";

export interface CleanOptions extends Pick<ReadOptions, "country" | "toColumn" | "sheet" | "encoding"> {
  readonly mobileOnly?: boolean;
}

/** What was changed in numbers, which means the same number as before, in words after a count. */
export const changes = [
  ["country", "+ and the code of the country added"],
  ["punctuation", "spaces, dots, hyphens or brackets dropped"],
  ["decimals", "the .0 of a spreadsheet dropped"],
  ["doubleZero", "00 in front written as +"],
  ["marks", "an apostrophe, tel: or invisible characters dropped"],
  ["words", "other words beside the number dropped"],
] as const;

type Change = (typeof changes)[number][0];

/** What was found in a list, complete once it was read. rows = numbers + duplicates + rejected. */
export class Findings {
  readonly list = new ListFacts();
  rows = 0;
  numbers = 0;
  duplicates = 0;
  rejected = 0;
  landlines = 0;
  unassigned = 0;
  readonly changes: Partial<Record<Change, number>> = {};
  readonly causes = new CauseCounts();
  readonly hints = new Map<Cause, string>();
  readonly firstDuplicates: string[] = [];
}

export type CleanRow = {
  readonly row: Row | RowFault;
  readonly line: number;
} & (
  | { readonly kind: "usable"; readonly to: string }
  | { readonly kind: "duplicate"; readonly to: string; readonly firstLine: number }
  | { readonly kind: "rejected"; readonly cause: Cause; readonly reason: string }
);

/** Yields what becomes of each row of a list, in order and in bounded memory. Throws for what is no list. */
export async function* cleanRows(source: Source, options: CleanOptions, findings: Findings): AsyncGenerator<CleanRow> {
  const firstLines = new NumberSet();
  const firstCells = new Map<number, string>();
  const { list: facts } = findings;
  for await (const row of readRecipients(source, { ...options, facts, keepsCells: true })) {
    findings.rows++;
    const { line } = row;
    const place = row.where ?? lineText(row.line);
    const read = row.kind === "fault" ? row : await readCell(row, options);
    if ("reason" in read) {
      yield reject(findings, row, { line, place, fault: read });
      continue;
    }
    const { number, changed } = read;
    const key = numberKey(number.e164);
    const firstLine = firstLines.lineOf(key);
    const first = row.where === undefined ? lineText(firstLine ?? 0) : `row ${firstLine}`;
    const out = options.mobileOnly ? whyNoMobile(number) : undefined;
    if (out !== undefined) {
      yield reject(findings, row, { line, place, fault: out });
    } else if (firstLine === undefined) {
      firstLines.add(key, row.line);
      firstCells.set(key, cellsText(row, facts));
      findings.numbers++;
      if (number.isLandline) findings.landlines++;
      if (!number.assigned) findings.unassigned++;
      for (const change of changed) findings.changes[change] = (findings.changes[change] ?? 0) + 1;
      yield { kind: "usable", row, line, to: number.e164 };
    } else if (firstCells.get(key) !== cellsText(row, facts)) {
      const reason = `${number.e164} is on ${first} too, and the other columns differ`;
      yield reject(findings, row, { line, place, fault: { reason, cause: "differs" } });
    } else {
      findings.duplicates++;
      if (findings.firstDuplicates.length < 3)
        findings.firstDuplicates.push(`${place}: ${number.e164}, first on ${first}`);
      yield { kind: "duplicate", row, line, to: number.e164, firstLine };
    }
  }
}

function whyNoMobile({
  e164,
  isLandline,
  assigned,
}: ReadNumber["number"]): Pick<RowFault, "reason" | "cause"> | undefined {
  if (isLandline) return { reason: `${e164} is a landline`, cause: "landline" };
  return assigned ? undefined : { reason: `${e164} is in no range of numbers known to be in use`, cause: "unassigned" };
}

/** Returns what a row has besides its number, as one text. */
function cellsText({ cells = [] }: Row | RowFault, { columns }: ListFacts): string {
  return JSON.stringify(cells.filter((_, index) => index !== columns?.to));
}

function reject(
  findings: Findings,
  row: Row | RowFault,
  {
    line,
    place,
    fault: { reason, hint, cause = "row" },
  }: { readonly line: number; readonly place: string; readonly fault: Pick<RowFault, "reason" | "hint" | "cause"> },
): CleanRow {
  findings.rejected++;
  findings.causes.add(cause, `${place}: ${reason}`);
  if (hint !== undefined && !findings.hints.has(cause)) findings.hints.set(cause, hint);
  // The row itself stands beside the reason.
  const cell = row.kind === "row" ? refusalText(bare(row.to), "") : "";
  const own = reason.startsWith(cell) ? reason.slice(cell.length) : reason;
  return { kind: "rejected", row, line, cause, reason: hint === undefined ? own : `${own}; ${hint}` };
}

interface ReadNumber {
  readonly number: Extract<NumberReading, { kind: "number" }>;
  readonly changed: readonly Change[];
}

async function readCell(row: Row, { country }: CleanOptions): Promise<ReadNumber | RowFault> {
  const read = readCertain(row.to, country);
  if (read.kind !== "refused") return read;
  const text = bare(row.to);
  const fault = await explained(faultOfNumber({ ...row, to: text }, read, country));
  const alone = fault.cause === "other-text" ? numberAmongWords(text, country) : undefined;
  const taken = alone === undefined ? undefined : readCertain(alone, country);
  return taken?.kind === "read" ? { number: taken.number, changed: ["words"] } : fault;
}

/** Reads a number, also where what has to be changed in it leaves no doubt. */
function readCertain(text: string, country: CleanOptions["country"]) {
  const digits = bare(text);
  const changed: Change[] = digits === text.trim() ? [] : ["marks"];
  const home = digits.startsWith("+") ? undefined : country;
  const reading = readListedNumber(digits, home);
  if (reading.kind === "number") {
    if (!digits.startsWith("+")) changed.push("country");
    if (reading.isDecimal) changed.push("decimals");
    else if (/[^+\d]/.test(digits)) changed.push("punctuation");
    return { kind: "read", number: reading, changed } as const;
  }
  const abroad = /^00[1-9]/.test(digits) ? readListedNumber(`+${digits.slice(2)}`) : undefined;
  if (abroad?.kind !== "number" || !abroad.assigned) return reading;
  return { kind: "read", number: abroad, changed: [...changed, "doubleZero"] } as const;
}

/** Drops what marks a text as a number, in contacts too, and characters without a width, which copied contacts have. */
function bare(text: string): string {
  return text
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replace(/^(?:'+|(?:\w+\.)?tel(?:;[^:]*)?:)\s*/i, "");
}
