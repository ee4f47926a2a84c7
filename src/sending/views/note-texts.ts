import type { LeftOutCounts } from "../../record/left-out.ts";
import { countText, plural } from "../../words/count.ts";
import { replacementText } from "../../message/look-alikes.ts";
import { decimalsText } from "../../terminal/text.ts";
import type { Notes } from "../../recipients/notes.ts";
import { placesText } from "../../recipients/row.ts";

export interface RowNotes {
  readonly leftOut: LeftOutCounts;
  readonly firstLeftOut: readonly string[];
  readonly repeated?: string;
  readonly warnings: readonly string[];
  /** This names the numbers in no range known to be in use. */
  readonly unassignedText?: string;
  /** Rows of the list whose number is behind a #, which are among the warnings too. */
  readonly commentedOut?: readonly string[];
  /** The command lists every row of the list that cannot be used. */
  readonly clean?: string;
}

export function cutTexts({ cut, recipients }: Notes): readonly string[] {
  if (cut.texts === 0) return [];
  const where = recipients === 1 ? "the text" : plural(cut.texts, "row");
  return [`--segments left ${plural(cut.characters, "character")} out of ${where}`];
}

export function nobodyTexts({ recipients, rows, source }: Notes): readonly string[] {
  if (recipients > 0) return [];
  const list = source?.name;
  return [rows === 0 ? `${list} has a header and no rows` : `nobody of ${list} is left to send to`];
}

export function warningTexts(notes: Notes): readonly string[] {
  return [...numberTexts(notes), ...textTexts(notes)];
}

export function numberTexts(notes: Notes): readonly string[] {
  const warnings: string[] = [];
  if (notes.decimals > 0) warnings.push(decimalsText(notes.decimals));
  for (const [noun, { count, first }] of notes.noMobile) {
    const where = notes.recipients === 1 ? "" : `: ${placesText(first, count)}`;
    warnings.push(`${plural(count, noun)} may not take texts${where}`);
  }
  return [...warnings, ...notes.unassigned.texts()];
}

function textTexts(notes: Notes): readonly string[] {
  const { recipients, longer, replacements, ownTexts = 0 } = notes;
  const isOne = recipients === 1;
  const warnings: string[] = [];
  if (longer.texts > 0) {
    const what = isOne ? "this" : plural(longer.texts, "text");
    warnings.push(
      `look-alikes make ${what} ${plural(longer.segments, "segment")} instead of ${countText(longer.gsm7Segments)}: --gsm7 replaces them, and \`sms preview\` shows them`,
    );
  }
  if (notes.replacedTexts > 0) {
    const where = isOne ? "" : `in ${plural(notes.replacedTexts, "text")} `;
    warnings.push(`${where}${replacementText([...replacements.values()])}`);
  }
  for (const name of notes.unfilled.values()) warnings.push(`no row fills {{${name}}}, so every text has its default`);
  if (ownTexts > 0) warnings.push(`the column message is only a field: the given text is that of every row`);
  return [...warnings, ...cutTexts(notes)];
}
