import { lineText } from "../message/line.ts";
import { numberKey } from "../message/number-key.ts";
import type { Fields } from "../message/template.ts";
import { usageError } from "../errors.ts";
import type { OptOut } from "../guards/opt-out-list.ts";
import { type FindCountry, readRecipient, refusal } from "./check.ts";
import { explained, Faults } from "./faults.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import { quoted, type Row, type RowFault, type Source } from "./row.ts";

/** How a file of opt-outs is read. */
export interface OptOutOptions extends Pick<ReadOptions, "format" | "toColumn"> {
  readonly country: FindCountry;
  /** Leaves out faulty rows instead of throwing for them. */
  readonly skipInvalid: boolean;
  /** For rows that have none of their own. The date in ISO 8601, UTC. */
  readonly reason: string | undefined;
  readonly at: string;
}

/** The opt-outs of a file, and the rows that add nothing. */
export interface ReadOptOuts {
  readonly rows: readonly OptOut[];
  readonly duplicates: number;
  readonly invalid: number;
  /** Numbers that were read without the decimals that a spreadsheet wrote. */
  readonly decimals: number;
  /** The first rows that add nothing, in sentences with their lines. */
  readonly details: readonly string[];
}

const mostNamed = 20;

/** Reads opt-outs from a file of recipients. Throws a usage error that lists all faults, and for a file without numbers. */
export async function readOptOuts(source: Source, options: OptOutOptions): Promise<ReadOptOuts> {
  const { format, toColumn, skipInvalid } = options;
  const faults = new Faults();
  const lines = new Map<number, number>();
  const rows: OptOut[] = [];
  const details: string[] = [];
  let duplicates = 0;
  let decimals = 0;
  const note = (line: number, reason: string) => {
    if (details.length < mostNamed) details.push(`${lineText(line)}: ${reason}`);
  };
  for await (const row of readRecipients(source, { format, toColumn })) {
    const read = optOutOf(row, options);
    if (read.kind === "fault") {
      faults.add(read);
      if (skipInvalid && details.length < mostNamed) note(row.line, (await explained(read)).reason);
      continue;
    }
    if (read.isDecimal) decimals++;
    const { to } = read.optOut;
    const first = lines.get(numberKey(to));
    if (first === undefined) {
      lines.set(numberKey(to), row.line);
      rows.push(read.optOut);
      continue;
    }
    duplicates++;
    note(row.line, `${to} is already on ${lineText(first)}`);
  }
  if (faults.count > 0 && !skipInvalid) {
    const { errorCode, message, details: faulty } = await faults.toUsageError(source.name);
    throw usageError(
      errorCode,
      message,
      "nothing was added: correct them, or leave them out by --skip-invalid",
      faulty,
    );
  }
  return { rows, duplicates, invalid: faults.count, decimals, details };
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

/** A field; undefined if it is absent or blank. */
function textOf(fields: Fields, name: string): string | undefined {
  const text = Object.hasOwn(fields, name) ? (fields[name] ?? "").trim() : "";
  return text === "" ? undefined : text;
}

/** Returns a date of ISO 8601 in UTC, in full. */
function isoDate(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text))
    return undefined;
  const [day = ""] = text.split("T");
  const [midnight, time] = [Date.parse(day), Date.parse(text)];
  // A day that a month does not have would be one of the next month.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isDay && !Number.isNaN(time) ? new Date(time).toISOString() : undefined;
}
