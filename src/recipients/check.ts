import { holdOf, type RowGuard } from "./hold.ts";
import type { Message, OwnFields } from "../message/fields.ts";
import {
  type Cause,
  differs,
  faultFrom,
  quoted,
  refusalText,
  type Row,
  type RowFault,
  type RowLeftOut,
  textKey,
} from "./row.ts";
import type { DuplicateOptions, Duplicates } from "./duplicates.ts";
import { replaceLookAlikes, type Replacement, toGsm7 } from "../message/look-alikes.ts";
import {
  composeText,
  requireText,
  fieldKey,
  type Fields,
  placeholderIn,
  type RenderedText,
  renderTemplate,
} from "../message/text.ts";
import {
  type Country,
  type NoMobile,
  type NumberReading,
  readListedNumber,
  readNumber,
  type UnreadableNumber,
} from "../message/number.ts";
import { numberKey, type NumberSet } from "../message/number-set.ts";
import type { CutText } from "../message/cut.ts";
import { countSegments } from "../message/segments.ts";

export type ReadNumber = Exclude<NumberReading, UnreadableNumber>;

export interface CheckOptions extends DuplicateOptions {
  readonly literal?: boolean;
  readonly country?: Country;
  readonly gsm7?: boolean;
  /** Cuts a text that is too long; absent without `--segments`. */
  readonly cut?: ((text: string) => CutText) | undefined;
  readonly guards?: readonly RowGuard[];
  readonly skipInvalid?: boolean;
  readonly ambiguous?: NumberSet;
}

export interface Recipient extends Message {
  readonly kind: "recipient";
  readonly line: number;
  readonly ownSender?: boolean;
  /** The count is our own; the service's count is the bill. */
  readonly segments: number;
  readonly assigned: boolean;
  /** Set if a spreadsheet wrote decimals, which the number lacks. */
  readonly isDecimal?: true;
  readonly noMobile?: NoMobile;
  readonly replacements?: readonly Replacement[];
  readonly gsm7Segments?: number;
  readonly cutCharacters?: number;
  /** The columns of the row can be exported, corrected and sent again. */
  readonly fields?: Fields;
}

export type CheckedRow = Recipient | RowLeftOut | RowFault;

/** A row left out can still be sent, a message sent twice cannot be taken back: only the first that can go is sent. */
export function recipientCheck(options: CheckOptions, duplicates?: Duplicates): (row: Row | RowFault) => CheckedRow {
  const { guards = [], skipInvalid = false, ambiguous } = options;
  const membersOf = ({ own: ofRow }: Pick<Row, "own">): OwnFields => {
    const { text: _, ...members } = { ...options.usual, ...ofRow };
    return members;
  };
  let last: { readonly filledText: string; readonly result: CheckedText } | undefined;

  const invalid = (fault: RowFault): RowLeftOut | RowFault =>
    skipInvalid ? { ...fault, kind: "left-out", reason: "invalid" } : fault;

  const check = (row: Row | RowFault): CheckedRow => {
    if (row.kind === "fault") return invalid(row);
    const { line, spoilt } = row;
    const number = readRecipient(row, options.country);
    if (number.kind === "fault") return invalid(number);
    const { e164: to, kind: _, ...traits } = number;
    const key = numberKey(to);
    const hold = holdOf(guards, key);
    if (hold?.effect === "fault") {
      const { sentence, errorCode, hint } = hold;
      return { kind: "fault", line, sentence, errorCode, hint, cause: "guard" };
    }
    if (hold?.leftOutCause !== undefined)
      return { kind: "left-out", line, to, ...hold.leftOutCause, sentence: hold.sentence };
    if (spoilt !== undefined) return invalid(spoilt);
    const rendering = renderRow(row, options);
    if (rendering.kind === "fault") return invalid(rendering);
    if (ambiguous?.has(key)) return invalid(differs(line, to, "another row"));
    const message = duplicates?.keyOf(row, to, rendering.text) ?? 0;
    const repeated = duplicates?.find(row, to, message);
    if (repeated !== undefined) return repeated.kind === "fault" ? invalid(repeated) : repeated;
    const { text: filledText } = rendering;
    if (last?.filledText !== filledText) last = { filledText, result: checkText(filledText, options, line) };
    const { result } = last;
    if (result.kind === "fault") return invalid({ ...result, line });
    duplicates?.add(line, to, message);
    const ownSender = row.own?.sender === undefined ? undefined : true;
    return { line, to, ownSender, ...result, ...traits, ...membersOf(row) };
  };
  return (row) => {
    const result = check(row);
    return result.kind === "recipient" ? result : { ...result, where: result.where ?? row.where };
  };
}

export function readRecipient(row: Row, country: Country | undefined): ReadNumber | RowFault {
  const reading = row.isTyped ? readNumber(row.to, country) : readListedNumber(row.to, country);
  return reading.kind === "number" ? reading : faultOfNumber(row, reading, country);
}

export function faultOfNumber(
  { line, to, cell, isTyped }: Row,
  { reason, hint, suggestion }: UnreadableNumber,
  country: Country | undefined,
): RowFault {
  return {
    kind: "fault",
    line,
    where: cell && `cell ${cell}`,
    sentence: refusalText(to, reason),
    errorCode: "INVALID_NUMBER",
    hint,
    suggestion,
    unreadNumber: { text: to, country, isTyped: isTyped ?? false },
  };
}

export async function explained<
  Fault extends Pick<RowFault, "sentence" | "hint" | "suggestion" | "unreadNumber" | "cause">,
>(fault: Fault): Promise<Fault> {
  if (fault.unreadNumber === undefined) return fault;
  const { text, country, isTyped } = fault.unreadNumber;
  const { explainNumber, writtenForm } = await import("../message/number-fault.ts");
  const { cause, reason, hint = fault.hint, suggestion = fault.suggestion } = explainNumber(text, country, isTyped);
  const better = { ...fault, cause, sentence: reason === undefined ? fault.sentence : refusalText(text, reason) };
  const { saysNo } = await import("./number-words.ts");
  // If somebody said no, their number must not be suggested.
  if (cause === "other-text" && saysNo(text)) return { ...better, hint: undefined };
  return { ...better, hint: hint ?? writtenForm(country), suggestion };
}

function renderRow(row: Row, { template, literal }: CheckOptions): RenderedText | RowFault {
  const { line, unreadable, fields } = row;
  const fault = (sentence: string, hint?: string, cause: Cause = "text") =>
    ({ kind: "fault", line, sentence, hint, cause }) as const;
  const needed = template === undefined ? [textKey] : template.fields.map(({ key }) => key);
  const [reason] = needed.flatMap((key) => unreadable?.get(key) ?? []);
  if (reason !== undefined) return fault(reason, undefined, "field");
  if (template === undefined) {
    const text = row.own?.text;
    if (text === undefined) return fault("it has no text", "give one for all rows with --message");
    const placeholder = literal ? undefined : placeholderIn(text);
    if (placeholder === undefined) return { kind: "text", text: composeText(text) };
    const what = `its own text contains ${quoted(placeholder)}, which would be sent as written`;
    return fault(what, "fill it in, or give the text with --message, which {{fields}} of the row fill");
  }
  const rendering = renderTemplate(template, fields);
  if (rendering.kind === "text") return rendering;
  const { field } = rendering;
  const hint = `fill it in, or give a default: {{${field}|text}}`;
  return { ...fault(`it has no ${quoted(field)}`, hint, "field"), field: fieldKey(field) };
}

type CheckedText =
  | Pick<Recipient, "kind" | "text" | "segments" | "replacements" | "gsm7Segments" | "cutCharacters">
  | RowFault;

function checkText(filledText: string, { gsm7, cut }: CheckOptions, line: number): CheckedText {
  try {
    const { text: whole, replacements } = gsm7 ? toGsm7(filledText) : { text: filledText, replacements: [] };
    const { text: cutText, cutCharacters } = cut?.(whole) ?? { text: whole, cutCharacters: 0 };
    const text = requireText(cutText);
    const { segments, encoding } = countSegments(text);
    const result = { kind: "recipient", text, segments, ...(cutCharacters > 0 && { cutCharacters }) } as const;
    if (gsm7) return replacements.length === 0 ? result : { ...result, replacements };
    if (encoding === "GSM-7") return result;
    const gsm7Segments = countSegments(replaceLookAlikes(text).text).segments;
    return gsm7Segments < segments ? { ...result, gsm7Segments } : result;
  } catch (error) {
    return { ...faultFrom(error, line), cause: "text" };
  }
}
