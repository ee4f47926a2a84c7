// recipients: any list becomes checked rows.

import { type Fields, requireText, parseTemplate, typedName } from "../message/text.ts";
import type { PlanRow } from "../record/plan.ts";
import { usageError } from "../errors.ts";
import { type CheckOptions, explained, readRecipient, type Recipient, recipientCheck } from "./check.ts";
import type { Country } from "../message/number.ts";
import { markedWords, otherPlaceholder } from "../message/marked-words.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { refuseRepeated, unknownFields } from "./column-errors.ts";
import { type Hold, holdOf, type RowGuard } from "./hold.ts";
import { addToNotes, Notes, noteRow } from "./notes.ts";
import { type PackedRows, packedRows } from "./packed-rows.ts";
import type { ListFacts, Recipients } from "./source.ts";
import { withoutKeys } from "../words/key-like.ts";
import { Duplicates } from "./duplicates.ts";
import { Faults } from "./faults.ts";
import { memberKeys, setField } from "./listed-row.ts";
import { lineText, type Row, type RowFault, type RowLeftOut, textKey } from "./row.ts";

export interface MessagesRequest extends Pick<
  CheckOptions,
  "country" | "cut" | "gsm7" | "guards" | "usual" | "skipInvalid" | "allowDuplicates"
> {
  readonly recipients: Recipients;
  readonly text: string | undefined;
  /** These guards spoil no row, and open once all rows are checked. */
  readonly guardsOfRecord?: () => Promise<readonly RowGuard[]>;
}

/** `check` throws a usage error that lists all faults. Then the rows can be read once. */
export function prepareMessages(request: MessagesRequest) {
  const { text, recipients } = request;
  if (text?.trim() === "") requireText(text);
  const template = text === undefined ? undefined : parseTemplate(text);
  const options = { ...request, template, hasFile: recipients.source !== undefined };
  const notes = new Notes(template, recipients);
  let checked: Promise<CheckedRows> | undefined;
  const check = () => (checked ??= checkAll(options, notes));
  async function* planRows(): AsyncGenerator<PlanRow> {
    const { rows, heldByRecord } = await check();
    yield* takeRows(rows, heldByRecord, notes);
  }
  return { check: async () => void (await check()), planRows: planRows(), notes };
}

/** The notes are complete once all rows were taken. */
async function* takeRows({ take }: CheckedRows["rows"], heldByRecord: CheckedRows["heldByRecord"], notes: Notes) {
  let index = 0;
  for await (const batch of take())
    for (const { where, hasOwnText, result } of batch) {
      const hold = heldByRecord.get(index);
      addToNotes(notes, where ?? lineText(result.line, notes.source !== undefined), result, hold, hasOwnText);
      index++;
      yield planRow(result, hold);
    }
}

function planRow(result: Recipient | RowLeftOut, hold: Hold | undefined): PlanRow {
  if (result.kind === "left-out") {
    const { kind, line, where, to = "", reason, details = result.sentence, fields } = result;
    return { kind, line, where, to, reason, details, fields };
  }
  if (hold?.leftOutCause === undefined) return result;
  const { line, to, fields } = result;
  return { kind: "left-out", line, to, fields, ...hold.leftOutCause, held: result };
}

interface PackedRow {
  readonly where?: string;
  readonly hasOwnText: boolean;
  readonly result: Recipient | RowLeftOut;
}

interface CheckedRows {
  readonly rows: PackedRows<PackedRow>;
  /** The opt-outs hold these rows back, by their place among all rows. Whom a list leaves out is no recipient. */
  readonly heldByRecord: ReadonlyMap<number, Hold>;
}

async function checkAll(request: MessagesRequest & CheckOptions, notes: Notes): Promise<CheckedRows> {
  const { rows, numbers, hasInvalid } = await checkEach(request, notes);
  const later = (await request.guardsOfRecord?.()) ?? [];
  const heldByRecord = new Map<number, Hold>();
  let isAnyLeft = false;
  for (const [index, number] of numbers.entries()) {
    const hold = number === nobody ? undefined : holdOf(later, number);
    if (hold !== undefined) heldByRecord.set(index, hold);
    else if (number !== nobody) isAnyLeft = true;
  }
  if (isAnyLeft || (request.recipients.mayBeNone && !hasInvalid)) return { rows, heldByRecord };
  for await (const _ of takeRows(rows, heldByRecord, notes));
  const { source, firstLeftOut: details } = notes;
  throw usageError("NO_RECIPIENT", `no recipient of ${source?.name ?? "--to"} is left`, { details });
}

/** Stands for a row that is left out already. */
const nobody = 0;

/** A number, a text of its own and API keys are no fields to keep. A row that cannot be read has its cells. */
function fieldsOf(row: Row | RowFault, hasTemplate: boolean, { columns }: ListFacts): Fields | undefined {
  const fields: Record<string, string> = {};
  const keys = row.kind === "row" ? Object.keys(row.fields) : (row.cells ?? []);
  const keep = (name: string, value = "") => setField(fields, name, withoutKeys(value));
  if (row.kind === "row") for (const key of keys) keep(row.names?.get(key) ?? key, row.fields[key]);
  else for (const [index, cell] of keys.entries()) keep(columns?.names[index] || `column ${index + 1}`, cell);
  const least = hasTemplate || row.kind === "fault" || row.own?.text === undefined ? 1 : 2;
  return keys.length <= least ? undefined : fields;
}

/** A number that is invalid stays as it came; one that can be read is found in the history. */
function writtenNumber(row: Row | RowFault, { columns }: ListFacts, country: Country | undefined): string {
  if (row.kind === "row") {
    const reading = readRecipient(row, country);
    return reading.kind === "number" ? reading.e164 : row.to;
  }
  return row.cells?.[columns?.names.indexOf(columns.name) ?? -1] ?? "";
}

async function ambiguousNumbers(options: CheckOptions, { firstReading }: Recipients): Promise<NumberSet> {
  const numbers = new NumberSet();
  const check = recipientCheck({ ...options, skipInvalid: false }, new Duplicates(options));
  for await (const row of firstReading ?? []) {
    const result = check(row);
    if (result.kind === "fault" && result.to !== undefined) numbers.add(numberKey(result.to));
  }
  return numbers;
}

/** So many columns are kept for an error that names them. */
const mostColumns = 100;

/** The numbers are those of all rows, in their order. */
async function checkEach(request: MessagesRequest & CheckOptions, notes: Notes) {
  const { template, recipients, text = "" } = request;
  const fields = template?.fields ?? [];
  const ambiguous = await ambiguousNumbers(request, recipients);
  const check = recipientCheck({ ...request, ambiguous }, new Duplicates(request));
  const name = notes.source?.name;
  const ownKeys = template === undefined ? memberKeys : memberKeys.filter((key) => key !== textKey);
  const keys = [...ownKeys, ...fields.map(({ key }) => key)];
  // A default is for an empty cell.
  const unmet = new Map(fields.map((field) => [field.key, field]));
  const columns = new Set<string>();
  const faults = new Faults();
  const ofRows = new Faults();
  const rows = packedRows<PackedRow>();
  const numbers: number[] = [];
  let hasInvalid = false;
  let usable = 0;
  let hasRow = false;
  const words = markedWords(text);
  let header: readonly string[] | undefined;
  for await (const row of recipients.rows) {
    if (header === undefined && recipients.facts.columns !== undefined) {
      header = recipients.facts.columns.names;
      refuseRepeated(name ?? "", header, keys);
    }
    for (const [key, word] of words)
      if (row.kind === "row" && Object.hasOwn(row.fields, key)) throw otherPlaceholder(text, word);
    const outcome = check(row);
    noteRow(notes, row);
    const result = outcome.kind === "left-out" ? await explained(outcome) : outcome;
    if (outcome.kind === "recipient") usable++;
    hasRow ||= row.kind === "row";
    if (row.kind === "row" && unmet.size > 0) {
      for (const key of Object.keys(row.fields)) {
        unmet.delete(key);
        if (columns.size < mostColumns) columns.add(typedName(row.names?.get(key) ?? key));
      }
    }
    if (result.kind === "fault") {
      faults.add(result);
      if (result.first !== undefined) usable--;
      if (result.field === undefined || !unmet.has(result.field)) ofRows.add(result);
    }
    // If a run has a fault, nothing of the run is sent: the rest is only counted.
    else if (faults.count === 0) {
      const hasOwnText = row.kind === "row" && row.own?.text !== undefined;
      const { facts } = recipients;
      const isInvalid = result.kind === "left-out" && result.reason === "invalid";
      const to = isInvalid ? withoutKeys(writtenNumber(row, facts, request.country)) : result.to;
      const whole = isInvalid ? { ...result, sentence: withoutKeys(result.sentence), to } : result;
      const content = fieldsOf(row, template !== undefined, facts);
      rows.add({ where: row.where, hasOwnText, result: { fields: content, ...whole } });
      numbers.push(result.kind === "recipient" ? numberKey(result.to) : nobody);
      hasInvalid ||= isInvalid;
    }
  }
  for (const key of recipients.facts.columns?.keys ?? []) unmet.delete(key);
  // One error stands for all rows that lack a field, and lists other faults of rows.
  if (hasRow && unmet.size > 0) {
    const others = ofRows.count === 0 ? undefined : await ofRows.toUsageError(name);
    throw unknownFields([...unmet.values()], [...columns], name, others);
  }
  if (faults.count > 0)
    throw await faults.toUsageError(name, { usable, ...recipients, columns: recipients.facts.columns });
  return { rows, numbers, hasInvalid };
}
