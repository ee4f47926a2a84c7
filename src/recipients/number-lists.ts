import type { Country } from "../message/number.ts";
import { usageError } from "../errors.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { isObject, parseJson } from "../json.ts";
import type { OptedOut, OptOut } from "../record/opt-outs.ts";
import { decimalsText } from "../terminal/text.ts";
import { countText, plural } from "../words/count.ts";
import { withoutKeys } from "../words/key-like.ts";
import { explained, readRecipient } from "./check.ts";
import { commentedTexts, listTexts } from "./list-texts.ts";
import { readRecipients, type ReadOptions } from "./read.ts";
import type { NumbersOfRow } from "./row-numbers.ts";
import { cleanLine, type CleanWords, Faults, mendedBy } from "./faults.ts";
import { lineText, mostOfReason, type Row, type RowFault, typedRow } from "./row.ts";
import { ListFacts, type Source, startingWith } from "./source.ts";
import { UnassignedNumbers } from "./unassigned.ts";

interface NumberListOptions {
  readonly clean?: CleanWords;
  /** The list holds people back: each number of a row is read, whatever stands beside it. */
  readonly everyNumber?: boolean;
  /** These are added to. */
  readonly unassigned?: UnassignedNumbers;
}

/** Throws if a number cannot be read: the list, of this name, would not be what it says. */
export async function readNumberList(
  name: string,
  rows: AsyncIterable<Row | RowFault> | Iterable<Row>,
  country: Country | undefined,
  { clean, everyNumber, unassigned }: NumberListOptions = {},
): Promise<NumberSet> {
  const faults = new Faults();
  const numbers = new NumberSet();
  const { numbersInRow } = everyNumber ? await import("./row-numbers.ts") : { numbersInRow: onlyNumber };
  for await (const row of rows) {
    const { numbers: ofRow, fault, unassigned: doubtful = [] } = numbersInRow(row, { country });
    if (fault !== undefined) faults.add(fault);
    for (const to of ofRow) numbers.add(numberKey(to));
    for (const to of doubtful) unassigned?.add(to, row.where ?? lineText(row.line));
  }
  if (faults.count > 0) throw await faults.toUsageError(name, { clean });
  return numbers;
}

function onlyNumber(row: Row | RowFault, { country }: Pick<ReadOptions, "country">): NumbersOfRow {
  const number = row.kind === "fault" ? row : readRecipient(row, country);
  if (number.kind === "fault") return { numbers: [], fault: number };
  return { numbers: [number.e164], unassigned: number.assigned ? [] : [number.e164] };
}

/** Returns each number once, in E.164. Throws a usage error for the first that cannot be read. */
export async function readTypedNumbers(
  texts: readonly string[],
  country: Country | undefined,
  unassigned?: UnassignedNumbers,
): Promise<readonly string[]> {
  const numbers = new Set<string>();
  for (const to of texts) {
    const number = readRecipient(typedRow(to), country);
    if (number.kind === "fault") {
      const { sentence, hint } = await explained(number);
      throw usageError("INVALID_NUMBER", sentence, hint);
    }
    if (!number.assigned && !numbers.has(number.e164)) unassigned?.add(number.e164);
    numbers.add(number.e164);
  }
  return [...numbers];
}

/** A row may have a date, in ISO 8601 and UTC, and a reason of its own. */
type ListedOptOut = Pick<OptOut, "to"> & Partial<OptOut>;

/** Throws a usage error for a file without numbers. A command without options names `sms clean` in its errors. */
export async function readOptOuts(
  list: Source,
  options: Pick<ReadOptions, "format" | "toColumn" | "sheet" | "encoding" | "country">,
  takesOptions = true,
) {
  const facts = new ListFacts();
  const faults = new Faults();
  const numbers = new NumberSet();
  const unassigned = new UnassignedNumbers();
  const rows: ListedOptOut[] = [];
  const firstInvalid: string[] = [];
  const counts = { duplicates: 0, decimals: 0, undated: 0 };
  const { source, isArray } = await openArray(list);
  // An empty array is what a record without opt-outs prints.
  const least = isArray ? "nothing" : "rows";
  const clean = { ...options, file: source.name, everyNumber: true };
  const way = takesOptions
    ? { command: cleanLine({ ...options, file: source.name }).replace("clean", "optout import") }
    : { mend: mendedBy({ ...clean, output: "NEW.csv" }) };
  const listOptions = { ...options, ...way, facts, least, everyNumber: true, keepsCells: true } as const;
  const { numbersInRow } = await import("./row-numbers.ts");
  for await (const row of readRecipients(source, listOptions)) {
    const reading = numbersInRow(row, options, facts.columns);
    if (reading.fault !== undefined) {
      const { where, line, sentence } = await explained(reading.fault);
      faults.add(reading.fault);
      const fate = reading.numbers.length > 0 ? "read in part" : "left out";
      if (firstInvalid.length < mostOfReason) firstInvalid.push(`${fate} ${where ?? lineText(line)}: ${sentence}`);
    }
    if (reading.numbers.length === 0) continue;
    const at = textOf(row, "at");
    const reason = textOf(row, "reason");
    const note = { at: at && isoDate(at), reason: reason && withoutKeys(reason) };
    // A removal notes no date.
    if (takesOptions && at !== undefined && note.at === undefined) counts.undated++;
    if (reading.isDecimal) counts.decimals++;
    for (const to of reading.unassigned ?? []) unassigned.add(to, row.where ?? lineText(row.line));
    for (const to of reading.numbers) {
      if (numbers.add(numberKey(to))) rows.push({ to, ...note });
      else counts.duplicates++;
    }
  }
  const invalid = faults.count;
  if (rows.length === 0 && invalid > 0)
    throw await faults.toUsageError(source.name, { usable: 0, columns: facts.columns });
  const comments = commentedTexts(facts).map((text) => `passed over: ${text}`);
  const warnings = [
    ...comments,
    ...listTexts(facts, "read too"),
    ...unassigned.texts(),
    ...importTexts(cleanLine(clean), counts, invalid, firstInvalid),
  ];
  return { rows, duplicates: counts.duplicates, invalid, warnings };
}

function importTexts(
  line: string,
  { undated, decimals }: { readonly undated: number; readonly decimals: number },
  invalid: number,
  firstInvalid: readonly string[],
): readonly string[] {
  const more = invalid - firstInvalid.length;
  const have = undated === 1 ? "has" : "have";
  return [
    ...(undated > 0 ? [`${plural(undated, "row")} with another date than 2026-01-31 ${have} today's`] : []),
    ...(decimals > 0 ? [decimalsText(decimals)] : []),
    ...firstInvalid,
    ...(more > 0 ? [`left out ${countText(more)} more: \`${line} --json\` lists them`] : []),
  ];
}

/** Throws `NOT_OPTED_OUT` for a number, or a whole list, that is not among the opt-outs. */
export function optedOutOf(
  numbers: readonly string[],
  list: { readonly name: string; readonly numbers: readonly string[] },
  optOuts: Pick<OptedOut, "has">,
): readonly string[] {
  const hasOptedOut = (to: string) => optOuts.has(numberKey(to));
  const other = numbers.find((to) => !hasOptedOut(to));
  const all = [...new Set([...numbers, ...list.numbers.filter(hasOptedOut)])];
  if (other === undefined && all.length > 0) return all;
  const who = other === undefined ? `nobody of ${list.name} has` : `${other} has not`;
  throw usageError("NOT_OPTED_OUT", `${who} opted out`, "`sms optout list` shows who has");
}

const bracket = 0x5b;

/** `sms optout list --json` prints one array, which may be empty, on one line. */
async function openArray(source: Source): Promise<{ readonly source: Source; readonly isArray: boolean }> {
  const chunks = source.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();
  const whole = startingWith(first.done === true ? [] : [first.value], chunks);
  if (first.done === true || first.value[0] !== bracket)
    return { source: { ...source, chunks: whole }, isArray: false };
  const parts: Uint8Array[] = [];
  for await (const chunk of whole) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  const value = parseJson(bytes.toString());
  const isArray = Array.isArray(value) && value.every(isObject);
  const lines = isArray ? Buffer.from(value.map((object) => `${JSON.stringify(object)}\n`).join("")) : bytes;
  return { source: { ...source, chunks: startingWith([lines], chunks) }, isArray };
}

function textOf(row: Row | RowFault, name: string): string | undefined {
  const text = row.kind === "row" && Object.hasOwn(row.fields, name) ? row.fields[name]?.trim() : undefined;
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
