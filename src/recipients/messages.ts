// recipients: any list becomes checked rows.

import { checkMessage, parseTemplate, typedName } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { type CheckOptions, explained, type Recipient, recipientCheck } from "./check.ts";
import { markedWords, otherPlaceholder } from "../message/marked-words.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { refuseRepeated, unknownFields } from "./columns.ts";
import { addToNotes, isNamed, Notes } from "./notes.ts";
import type { Recipients } from "./source.ts";
import { RowRepeats } from "./row-repeats.ts";
import { Faults } from "./faults.ts";
import { memberKeys, type Row, type RowFault, textKey } from "./row.ts";

export interface MessagesRequest extends Pick<
  CheckOptions,
  "country" | "cut" | "gsm7" | "guards" | "shared" | "skipInvalid" | "allowDuplicates"
> {
  readonly recipients: Recipients;
  readonly text: string | undefined;
}

/** The messages can be read once. After the last row they throw a usage error that lists all faults. */
export function prepareMessages(request: MessagesRequest) {
  const { text, recipients } = request;
  if (text?.trim() === "") checkMessage(text);
  const template = text === undefined ? undefined : parseTemplate(text);
  const options = { ...request, template, hasFile: recipients.source !== undefined };
  const notes = new Notes(template, recipients);
  return { messages: checkAll(options, notes), notes };
}

/** A number, and a text of its own, are no fields to keep. */
function withFields(recipient: Recipient, row: Row | RowFault, hasTemplate: boolean): Recipient {
  if (row.kind === "fault") return recipient;
  const least = hasTemplate || row.own?.text === undefined ? 1 : 2;
  const fields = Object.entries(row.fields).map(([key, value]) => [row.names?.get(key) ?? key, value] as const);
  return fields.length <= least ? recipient : { ...recipient, fields: Object.fromEntries(fields) };
}

async function ambiguousNumbers(options: CheckOptions, { firstReading }: Recipients): Promise<NumberSet> {
  const numbers = new NumberSet();
  const check = recipientCheck({ ...options, skipInvalid: false }, new RowRepeats(options));
  for await (const row of firstReading ?? []) {
    const result = check(row);
    if (result.kind === "fault" && result.to !== undefined) numbers.add(numberKey(result.to));
  }
  return numbers;
}

/** So many columns are kept for an error that names them. */
const mostColumns = 100;

async function* checkAll(request: MessagesRequest & CheckOptions, notes: Notes): AsyncGenerator<Recipient> {
  const { template, recipients, text = "" } = request;
  const fields = template?.fields ?? [];
  const ambiguous = await ambiguousNumbers(request, recipients);
  const check = recipientCheck({ ...request, ambiguous }, new RowRepeats(request));
  const name = notes.source?.name;
  const ownKeys = template === undefined ? memberKeys : memberKeys.filter((key) => key !== textKey);
  const keys = [...ownKeys, ...fields.map(({ key }) => key)];
  // A default is for an empty cell.
  const unmet = new Map(fields.map((field) => [field.key, field]));
  const columns = new Set<string>();
  const faults = new Faults();
  const ofRows = new Faults();
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
    const result = outcome.kind === "skipped" && isNamed(notes, outcome.because) ? await explained(outcome) : outcome;
    addToNotes(notes, row, result);
    hasRow ||= row.kind === "row";
    if (row.kind === "row" && unmet.size > 0) {
      for (const key of Object.keys(row.fields)) {
        unmet.delete(key);
        if (columns.size < mostColumns) columns.add(typedName(row.names?.get(key) ?? key));
      }
    }
    if (result.kind === "fault") {
      faults.add(result);
      if (result.first !== undefined) notes.recipients--;
      if (result.field === undefined || !unmet.has(result.field)) ofRows.add(result);
    }
    // If a run has a fault, nothing of the run is sent: the rest is only result.
    else if (result.kind === "recipient" && faults.count === 0) yield withFields(result, row, template !== undefined);
  }
  for (const key of recipients.facts.columns?.keys ?? []) unmet.delete(key);
  // One error stands for all rows that lack a field, and lists other faults of rows.
  if (hasRow && unmet.size > 0) {
    const others = ofRows.count === 0 ? undefined : await ofRows.toUsageError(name);
    throw unknownFields([...unmet.values()], [...columns], name, others);
  }
  if (faults.count > 0) throw await faults.toUsageError(name, notes.recipients, recipients.clean);
  const isWrong = notes.skipped.invalid > 0 || !recipients.mayBeNone;
  if (notes.recipients === 0 && isWrong)
    throw usageError("NO_RECIPIENT", `no recipient of ${name ?? "--to"} is left`, { details: notes.firstSkipped });
}
