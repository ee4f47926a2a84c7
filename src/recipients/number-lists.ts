import { numberKey, NumberSet } from "../message/number-set.ts";
import type { Fields } from "../message/text.ts";
import { usageError } from "../errors.ts";
import type { OptOut } from "../record/opt-outs.ts";
import { type FindCountry, readRecipient, refusal } from "./check.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import { explained, Faults } from "./faults.ts";
import { lineText, mostNamed, quoted, type Row, type RowFault } from "./row.ts";
import type { Source } from "./source.ts";

/** Returns the numbers of the rows of a list. Throws if one cannot be read: the list, of this name, would not be what it says. */
export async function readNumberList(
  name: string,
  rows: AsyncIterable<Row | RowFault> | Iterable<Row>,
  country: FindCountry | undefined,
): Promise<NumberSet> {
  const faults = new Faults();
  const numbers = new NumberSet();
  for await (const row of rows) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readRecipient(row, country);
    if (number.kind === "refused") faults.add(refusal(row, number, country));
    else numbers.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw await faults.toUsageError(name);
  return numbers;
}

interface OptOutOptions extends Pick<ReadOptions, "toColumn" | "facts"> {
  readonly country: FindCountry;
  readonly skipInvalid: boolean;
  /** For rows that have none of their own. The date in ISO 8601, UTC. */
  readonly reason: string | undefined;
  readonly at: string;
}

interface ReadOptOuts {
  readonly rows: readonly OptOut[];
  readonly duplicates: number;
  readonly invalid: number;
  readonly decimals: number;
  readonly leftOut: readonly string[];
}

/** Reads opt-outs from a file of recipients. Throws a usage error that lists all faults, and for a file without numbers. */
export async function readOptOuts(source: Source, options: OptOutOptions): Promise<ReadOptOuts> {
  const { toColumn, country, skipInvalid, facts } = options;
  const faults = new Faults();
  const numbers = new NumberSet();
  const rows: OptOut[] = [];
  const leftOut: string[] = [];
  let duplicates = 0;
  let decimals = 0;
  for await (const row of readRecipients(source, { toColumn, country, facts })) {
    const read = optOutOf(row, options);
    if (read.kind === "fault") {
      faults.add(read);
      if (skipInvalid && leftOut.length < mostNamed) {
        leftOut.push(`${read.where ?? lineText(read.line)}: ${(await explained(read)).reason}`);
      }
      continue;
    }
    if (read.isDecimal) decimals++;
    if (numbers.add(numberKey(read.optOut.to))) rows.push(read.optOut);
    else duplicates++;
  }
  if (faults.count > 0 && !skipInvalid) {
    const { errorCode, message, details: faulty, faults: byReason } = await faults.toUsageError(source.name);
    throw usageError(
      errorCode,
      message,
      "nothing was added: correct them, or leave them out by --skip-invalid",
      faulty,
      byReason,
    );
  }
  return { rows, duplicates, invalid: faults.count, decimals, leftOut };
}

function optOutOf(row: Row | RowFault, { country, reason, at }: OptOutOptions) {
  if (row.kind === "fault") return row;
  const number = readRecipient(row, country);
  if (number.kind === "refused") return refusal(row, number, country);
  const ownReason = textOf(row.fields, "reason") ?? reason;
  const ownDate = textOf(row.fields, "at");
  const date = ownDate === undefined ? at : isoDate(ownDate);
  if (date === undefined) {
    const fault: RowFault = { kind: "fault", line: row.line, reason: `${quoted(ownDate ?? "")} is not a date` };
    return { ...fault, hint: "write it as 2026-01-31 or 2026-01-31T08:00:00Z" };
  }
  const optOut: OptOut = { to: number.e164, at: date, ...(ownReason !== undefined && { reason: ownReason }) };
  return { kind: "opt-out", optOut, isDecimal: number.isDecimal } as const;
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
