import { mostOfReason, type Row, type RowFault, type RowLeftOut } from "./row.ts";
import type { Replacement } from "../message/look-alikes.ts";
import type { NoMobile } from "../message/number.ts";
import type { Template } from "../message/text.ts";
import type { Recipient } from "./check.ts";
import type { Hold } from "./hold.ts";
import type { Recipients } from "./source.ts";
import { UnassignedNumbers } from "./unassigned.ts";

/** Notes are gathered while messages are checked. */
export class Notes {
  readonly source: Recipients["source"];
  rows = 0;
  recipients = 0;
  readonly leftOut = new Map<string | undefined, number>();
  readonly firstLeftOut: string[] = [];
  decimals = 0;
  readonly noMobile = new Map<NoMobile, { count: number; readonly first: string[] }>();
  readonly unassigned = new UnassignedNumbers();
  replacedTexts = 0;
  readonly replacements = new Map<string, Replacement>();
  readonly longer = { texts: 0, segments: 0, gsm7Segments: 0 };
  readonly cut = { texts: 0, characters: 0 };
  /** The fields are as the template writes them. */
  readonly unfilled: Map<string, string>;
  /** Undefined without a template. */
  ownTexts: number | undefined;

  constructor(template?: Template, recipients?: Recipients) {
    this.source = recipients?.source;
    this.ownTexts = template && 0;
    const withDefault = (template?.fields ?? []).filter((field) => field.default !== undefined);
    this.unfilled = new Map(withDefault.map(({ key, name }) => [key, name]));
  }
}

export function noteRow(notes: Notes, row: Row | RowFault): void {
  notes.rows++;
  if (row.kind !== "row") return;
  for (const key of notes.unfilled.keys()) {
    if (Object.hasOwn(row.fields, key) && row.fields[key]?.trim()) notes.unfilled.delete(key);
  }
}

export function addToNotes(
  notes: Notes,
  place: string,
  result: Recipient | RowLeftOut,
  hold: Hold | undefined,
  hasOwnText: boolean,
): void {
  const leaveOut = (reason: string | undefined, sentence: string, where = place) => {
    const count = (notes.leftOut.get(reason) ?? 0) + 1;
    notes.leftOut.set(reason, count);
    if (count <= mostOfReason) notes.firstLeftOut.push(`${where}: ${sentence}`);
  };
  if (result.kind === "left-out") leaveOut(result.reason, result.sentence, result.where);
  else if (hold !== undefined) leaveOut(hold.leftOutCause?.reason, hold.sentence);
  else addRecipient(notes, result, place, hasOwnText);
}

export function addRecipient(notes: Notes, recipient: Recipient, place: string, hasOwnText: boolean): void {
  const { to, assigned, isDecimal, noMobile, segments, replacements = [], gsm7Segments, cutCharacters } = recipient;
  notes.recipients++;
  if (notes.ownTexts !== undefined && hasOwnText) notes.ownTexts++;
  if (isDecimal) notes.decimals++;
  if (noMobile !== undefined) {
    const numbers = notes.noMobile.get(noMobile) ?? { count: 0, first: [] };
    notes.noMobile.set(noMobile, numbers);
    numbers.count++;
    if (numbers.first.length < 3) numbers.first.push(place);
  }
  if (!assigned) notes.unassigned.add(to);
  if (replacements.length > 0) notes.replacedTexts++;
  for (const replacement of replacements) {
    if (!notes.replacements.has(replacement.character)) notes.replacements.set(replacement.character, replacement);
  }
  if (cutCharacters !== undefined) {
    notes.cut.texts++;
    notes.cut.characters += cutCharacters;
  }
  if (gsm7Segments !== undefined) {
    notes.longer.texts++;
    notes.longer.segments += segments;
    notes.longer.gsm7Segments += gsm7Segments;
  }
}
