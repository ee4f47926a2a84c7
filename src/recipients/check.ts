import { checkMessage } from "../core/message.ts";
import { type Country, type NumberReading, readNumber } from "../core/number.ts";
import { countSegments } from "../core/segments.ts";
import type { Sender } from "../core/sender.ts";
import { type Rendering, renderTemplate, type Template } from "../core/template.ts";
import { SmsError } from "../errors.ts";
import { quoted, type Row, type RowFault } from "./row.ts";

type Refusal = Extract<NumberReading, { kind: "refused" }>;
type Rendered = Extract<Rendering, { kind: "text" }>;

/** How rows are held against what can be sent. */
export interface CheckOptions {
  /** The text of rows that have none of their own. */
  readonly template?: Template | undefined;
  /** The country in which numbers without + are read. */
  readonly country?: Country | undefined;
  /** What is done to each text before it is checked, such as replacing look-alikes. */
  readonly rewrite?: ((text: string) => string) | undefined;
  /** Numbers never to send to. */
  readonly exclusions?: ReadonlySet<number> | undefined;
  /** Leaves out rows that are wrong in themselves. */
  readonly skipInvalid?: boolean | undefined;
  /** Sends again to a number that stands twice. */
  readonly allowDuplicates?: boolean | undefined;
}

/** A message that can be sent. */
interface Recipient {
  readonly kind: "recipient";
  /** The line on which its row begins, from 1. */
  readonly line: number;
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** By our own count; the service's is the bill. */
  readonly segments: number;
  /** False for a possible number in no range known to be in use. */
  readonly assigned: boolean;
  /** The row's own sender, where it names one. */
  readonly sender?: Sender;
}

/** A row that nothing is sent for, on purpose. */
interface Skipped {
  readonly kind: "skipped";
  readonly line: number;
  /** The number as E.164, else as it was written; absent where the row could not be read. */
  readonly to?: string;
  readonly because: "duplicate" | "excluded" | "invalid";
  /** The same in a sentence that follows the line's number. */
  readonly reason: string;
}

/** What a row comes to. */
export type CheckedRow = Recipient | Skipped | RowFault;

/** A number as a key: E.164 fits a double, which takes a quarter of the memory that its text does. */
export function numberKey(e164: string): number {
  return Number(e164);
}

/**
 * A check to be given the rows of one run in their order. Of the rows with one number the first that can be sent is sent
 * and the others are skipped: what was left out can still be sent, what was sent twice cannot be taken back. `skipInvalid`
 * turns faults into skipped rows, but not those of the text that all rows share: a misspelt field would leave out everybody.
 */
export function recipientCheck(options: CheckOptions): (row: Row | RowFault) => CheckedRow {
  const { country, exclusions, skipInvalid = false, allowDuplicates = false } = options;
  const firstLines = new Map<number, number>();

  const invalid = (fault: RowFault, to?: string): Skipped | RowFault => {
    if (!skipInvalid) return fault;
    const { line, reason } = fault;
    return { kind: "skipped", line, because: "invalid", reason, ...(to !== undefined && { to }) };
  };

  return (row) => {
    if (row.kind === "fault") return invalid(row);
    const { line } = row;
    const number = readNumber(row.to, country);
    if (number.kind === "refused") return invalid(refusal(row, number), row.to);
    const to = number.e164;
    const key = numberKey(to);
    if (exclusions?.has(key)) {
      return { kind: "skipped", line, to, because: "excluded", reason: `${to} is among the excluded` };
    }
    const firstLine = firstLines.get(key);
    if (firstLine !== undefined) {
      return { kind: "skipped", line, to, because: "duplicate", reason: `${to} stands on line ${firstLine}` };
    }
    const draft = draftOf(row, options.template);
    if (draft.kind === "fault") return draft;
    const text = finish(draft.text, line, options.rewrite);
    if (typeof text !== "string") return invalid(text, to);
    if (!allowDuplicates) firstLines.set(key, line);
    const { segments } = countSegments(text);
    const recipient = { kind: "recipient", line, to, text, segments, assigned: number.assigned } as const;
    return row.sender === undefined ? recipient : { ...recipient, sender: row.sender };
  };
}

/** The fault of a row whose number is refused. */
export function refusal({ line, to }: Row, { reason, hint }: Refusal): RowFault {
  const sentence = to.trim() === "" ? reason : `${quoted(to)} cannot be read: ${reason}`;
  return { kind: "fault", line, reason: sentence, ...(hint !== undefined && { hint }) };
}

/** The row's own text, as it stands, else the template with the row's fields in it. */
function draftOf(row: Row, template: Template | undefined): Rendered | RowFault {
  const { line, message } = row;
  if (message !== undefined) {
    const place = /\{\{[^{}]*\}\}/.exec(message)?.[0];
    if (place === undefined) return { kind: "text", text: message };
    return {
      kind: "fault",
      line,
      reason: `its own text has ${quoted(place)} in it, and is sent as written`,
      hint: "write a row's own text out, or give the text for all with --message",
    };
  }
  if (template === undefined) {
    return { kind: "fault", line, reason: "it has no text", hint: "give one for all with --message" };
  }
  const rendering = renderTemplate(template, row.fields);
  if (rendering.kind === "text") return rendering;
  return {
    kind: "fault",
    line,
    reason: `it has no ${quoted(rendering.field)}`,
    hint: `fill it in, or say what stands there without it: {{${rendering.field}|text}}`,
  };
}

/** The text as it will be sent, or what is wrong with it. */
function finish(draft: string, line: number, rewrite: CheckOptions["rewrite"]): string | RowFault {
  try {
    return checkMessage(rewrite === undefined ? draft : rewrite(draft));
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    const { message: reason, hint } = error;
    return { kind: "fault", line, reason, ...(hint !== undefined && { hint }) };
  }
}
