import type { Country } from "../message/number.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { isObject, parseJson } from "../json.ts";
import type { Fields } from "../message/text.ts";
import type { OptOut } from "../record/opt-outs.ts";
import { explained, faultOfNumber, readRecipient } from "./check.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import { Faults } from "./faults.ts";
import { lineText, mostOfReason, type Row, type RowFault } from "./row.ts";
import { type Source, startingWith } from "./source.ts";

/** Throws if a number cannot be read: the list, of this name, would not be what it says. */
export async function readNumberList(
  name: string,
  rows: AsyncIterable<Row | RowFault> | Iterable<Row>,
  country: Country | undefined,
): Promise<NumberSet> {
  const faults = new Faults();
  const numbers = new NumberSet();
  for await (const row of rows) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readRecipient(row, country);
    if (number.kind === "refused") faults.add(faultOfNumber(row, number, country));
    else numbers.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw await faults.toUsageError(name);
  return numbers;
}

interface OptOutOptions extends Pick<ReadOptions, "toColumn" | "encoding" | "facts"> {
  readonly country: Country | undefined;
  /** Rows that have none of their own get these. The date is in ISO 8601, UTC. */
  readonly reason: string | undefined;
  readonly at: string;
}

interface ReadOptOuts {
  readonly rows: readonly OptOut[];
  readonly duplicates: number;
  readonly decimals: number;
  /** If its date cannot be read, a row has the date of the import. */
  readonly undated: number;
  readonly invalid: number;
  readonly leftOut: readonly string[];
}

/** Throws a usage error for a file without numbers. */
export async function readOptOuts(given: Source, options: OptOutOptions): Promise<ReadOptOuts> {
  const { toColumn, encoding, country, facts } = options;
  const faults = new Faults();
  const numbers = new NumberSet();
  const rows: OptOut[] = [];
  const leftOut: string[] = [];
  const counts = { duplicates: 0, decimals: 0, undated: 0 };
  const kept = { keepsHidden: true, keepsCells: true };
  const { source, isArray } = await openArray(given);
  for await (const row of readRecipients(source, {
    toColumn,
    encoding,
    country,
    facts,
    // An empty array is what a record without opt-outs prints.
    least: isArray ? "nothing" : "rows",
    ...kept,
  })) {
    const read = await numbersOf(row, country);
    if ("kind" in read) {
      faults.add(read);
      if (leftOut.length < mostOfReason)
        leftOut.push(`${read.where ?? lineText(read.line)}: ${(await explained(read)).reason}`);
      continue;
    }
    const { date, reason } = noteOf(row, options);
    if (date === undefined) counts.undated++;
    if (read.isDecimal) counts.decimals++;
    for (const to of read.numbers) {
      if (!numbers.add(numberKey(to))) counts.duplicates++;
      else rows.push({ to, at: date ?? options.at, ...(reason !== undefined && { reason }) });
    }
  }
  if (rows.length === 0 && faults.count > 0) throw await faults.toUsageError(source.name);
  return { rows, ...counts, invalid: faults.count, leftOut };
}

const bracket = 0x5b;

/** `sms optout list --json` prints one array, which may be empty, on one line. */
async function openArray(source: Source): Promise<{ readonly source: Source; readonly isArray: boolean }> {
  const chunks = source.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();
  const whole = startingWith(first.done === true ? [] : [first.value], chunks);
  if (first.done === true || first.value[0] !== bracket)
    return { source: { ...source, chunks: whole }, isArray: false };
  const read: Uint8Array[] = [];
  for await (const chunk of whole) read.push(chunk);
  const bytes = Buffer.concat(read);
  const value = parseJson(bytes.toString());
  const isArray = Array.isArray(value) && value.every(isObject);
  const lines = isArray ? Buffer.from(value.map((one) => `${JSON.stringify(one)}\n`).join("")) : bytes;
  return { source: { ...source, chunks: startingWith([lines], chunks) }, isArray };
}

async function numbersOf(
  row: Row | RowFault,
  country: Country | undefined,
): Promise<RowFault | { readonly numbers: readonly string[]; readonly isDecimal?: boolean | undefined }> {
  const { numbersWithin } = await import("../message/number-fault.ts");
  if (row.kind === "fault") {
    const numbers = (row.cells ?? []).flatMap((cell) => numbersWithin(cell, country));
    return numbers.length > 0 ? { numbers } : row;
  }
  const number = readRecipient(row, country);
  if (number.kind === "number") return { numbers: [number.e164], isDecimal: number.isDecimal };
  const numbers = numbersWithin(row.to, country);
  return numbers.length > 0 ? { numbers } : faultOfNumber(row, number, country);
}

function noteOf(row: Row | RowFault, options: OptOutOptions) {
  const fields = row.kind === "row" ? row.fields : {};
  const date = textOf(fields, "at");
  return { date: date === undefined ? options.at : isoDate(date), reason: textOf(fields, "reason") ?? options.reason };
}

function textOf(fields: Fields, name: string): string | undefined {
  const text = Object.hasOwn(fields, name) ? (fields[name] ?? "").trim() : "";
  return text === "" ? undefined : text;
}

function isoDate(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text))
    return undefined;
  const [day = ""] = text.split("T");
  const [midnight, time] = [Date.parse(day), Date.parse(text)];
  // A day that a month does not have would be one of the next month.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isDay && !Number.isNaN(time) ? new Date(time).toISOString() : undefined;
}
