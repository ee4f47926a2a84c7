// recipients: any list becomes checked rows.

import { checkMessage, type Fields, parseTemplate, type Template, type TemplateField } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { type CheckOptions, explained, type Recipient, recipientCheck } from "./check.ts";
import { markedWords, otherPlaceholder } from "../message/marked-words.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { refuseRepeated, unknownFields } from "./columns.ts";
import { addToNotes, isNamed, Notes } from "./notes.ts";
import type { Recipients } from "./source.ts";
import { RowRepeats } from "./row-repeats.ts";
import { Faults } from "./faults.ts";
import { memberKeys, type Row, type RowFault } from "./row.ts";

export interface MessagesRequest extends Pick<
  CheckOptions,
  "country" | "cut" | "gsm7" | "guards" | "shared" | "skipInvalid" | "allowDuplicates"
> {
  readonly recipients: Recipients;
  readonly text: string | undefined;
}

interface PreparedRecipient extends Recipient {
  readonly fields?: Fields;
}

interface PreparedMessages {
  /** The messages can be read once. Throws a usage error that lists all faults after the last row. */
  readonly messages: AsyncIterable<PreparedRecipient>;
  readonly notes: Notes;
}

export function prepareMessages(request: MessagesRequest): PreparedMessages {
  const { text, recipients } = request;
  if (text?.trim() === "") checkMessage(text);
  const template = text === undefined ? undefined : parseTemplate(text);
  const options = { ...request, template, hasFile: recipients.source !== undefined };
  const notes = new Notes(template, recipients);
  return { messages: checkAll(options, notes), notes };
}

/** The columns of the row can be exported, corrected and sent again. */
function withFields(recipient: Recipient, row: Row | RowFault): PreparedRecipient {
  if (row.kind === "fault") return recipient;
  const own = row.own?.text === undefined ? 1 : 2;
  if (Object.keys(row.fields).length <= own) return recipient;
  return { ...recipient, fields: row.fields };
}

async function ambiguousNumbers(options: CheckOptions, { firstReading }: Recipients): Promise<NumberSet> {
  const numbers = new NumberSet();
  const check = recipientCheck({ ...options, skipInvalid: false }, new RowRepeats(options));
  for await (const row of firstReading ?? []) {
    const checked = check(row);
    if (checked.kind === "fault" && checked.to !== undefined) numbers.add(numberKey(checked.to));
  }
  return numbers;
}

async function* checkAll(request: MessagesRequest & CheckOptions, notes: Notes): AsyncGenerator<PreparedRecipient> {
  const { template, recipients } = request;
  const check = recipientCheck(
    { ...request, ambiguous: await ambiguousNumbers(request, recipients) },
    new RowRepeats(request),
  );
  const name = notes.source?.name;
  const unmet = unmetFields(template);
  const needed = [...memberKeys, ...(template?.fields ?? []).map(({ key }) => key)];
  const faults = new Faults();
  const ofRows = new Faults();
  let lacksField = false;
  const { text = "" } = request;
  const marked = markedWords(text);
  let header: readonly string[] | undefined;
  for await (const row of recipients.rows) {
    const { columns } = recipients.facts;
    if (header === undefined && columns !== undefined) {
      header = columns.names;
      refuseRepeated(name ?? "", header, needed);
    }
    for (const [key, word] of marked)
      if (row.kind === "row" && Object.hasOwn(row.fields, key)) throw otherPlaceholder(text, word);
    const result = check(row);
    const checked = result.kind === "skipped" && isNamed(notes, result.because) ? await explained(result) : result;
    addToNotes(notes, row, checked);
    meetFields(unmet, row);
    if (checked.kind !== "recipient" && checked.field !== undefined) lacksField = true;
    if (checked.kind === "fault") {
      faults.add(checked);
      if (checked.first !== undefined) notes.recipients--;
      if (checked.field === undefined || !unmet.fields.has(checked.field)) ofRows.add(checked);
    }
    // If a run has a fault, nothing of the run is sent: the rest is only checked.
    else if (checked.kind === "recipient" && faults.count === 0) yield withFields(checked, row);
  }
  // One error stands for all rows that lack a field, and lists other faults of rows.
  if (lacksField && unmet.fields.size > 0) {
    const others = ofRows.count === 0 ? undefined : await ofRows.toUsageError(name);
    throw unknownFields([...unmet.fields.values()], [...unmet.columns], name, others);
  }
  if (faults.count > 0) throw await faults.toUsageError(name, notes.recipients, recipients.clean);
  const isWrong = notes.skipped.invalid > 0 || !recipients.mayBeNone;
  if (notes.recipients === 0 && isWrong) {
    throw usageError("NO_RECIPIENT", `no recipient of ${name ?? "--to"} is left`, {
      hint: "see what was left out",
      details: notes.firstSkipped,
    });
  }
}

/** The columns are kept as long as no row has had one of the fields. */
interface UnmetFields {
  /** Fields with a default are not among these. */
  readonly fields: Map<string, TemplateField>;
  readonly columns: Set<string>;
}

const mostColumns = 100;

function unmetFields(template: Template | undefined): UnmetFields {
  const required = (template?.fields ?? []).filter((field) => field.default === undefined);
  return { fields: new Map(required.map((field) => [field.key, field])), columns: new Set() };
}

function meetFields({ fields, columns }: UnmetFields, row: Row | RowFault): void {
  if (fields.size === 0 || row.kind === "fault") return;
  for (const key of Object.keys(row.fields)) {
    fields.delete(key);
    if (columns.size < mostColumns) columns.add(key);
  }
}
