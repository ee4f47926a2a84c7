import { replacementText } from "../../output/look-alikes.ts";
import { decimalsText } from "../../output/reading.ts";
import { countText, plural } from "../../output/text.ts";
import type { Notes } from "../../recipients/notes.ts";

/** Returns how many rows each rule left out; no rule that left out none. */
export function leftOutCounts({ skipped }: Notes): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(skipped).filter(([, count]) => count > 0));
}

/** Says what else a person should know before the messages are sent. */
export function warningTexts(notes: Notes): readonly string[] {
  const {
    recipients,
    decimals,
    unassigned,
    firstUnassigned,
    unusualLength,
    replacedTexts,
    replaced,
    longer,
    unfilled,
    unrendered,
    ownTexts = 0,
  } = notes;
  const isOne = recipients === 1;
  const warnings: string[] = [];
  if (decimals > 0) warnings.push(decimalsText(decimals));
  const because = unusualLength === undefined ? "" : `: ${unusualLength}`;
  if (unassigned === 1) {
    warnings.push(`${firstUnassigned} is in no range of numbers known to be in use${because}`);
  } else if (unassigned > 1) {
    const such = `such as ${firstUnassigned}${because}`;
    warnings.push(`${plural(unassigned, "number")} are in no range known to be in use, ${such}`);
  }
  if (longer.texts > 0) {
    const what = isOne ? "this" : plural(longer.texts, "text");
    warnings.push(
      `look-alikes make ${what} ${plural(longer.segments, "segment")} instead of ${countText(longer.gsm7Segments)}: --gsm7 replaces them, and \`sms preview\` shows them`,
    );
  }
  if (replacedTexts > 0) {
    const where = isOne ? "" : `in ${plural(replacedTexts, "text")} `;
    warnings.push(`${where}${replacementText([...replaced.values()])}`);
  }
  for (const name of unfilled.values()) {
    warnings.push(`no row fills {{${name}}}, so every text has its default`);
  }
  if (unrendered !== undefined) {
    warnings.push(`{${unrendered}} is sent as written; {{${unrendered}}} is the field of each row`);
  }
  if (ownTexts > 0) {
    const rows = ownTexts === 1 ? "1 row has a text of its own" : `${plural(ownTexts, "row")} have a text of their own`;
    warnings.push(`${rows}, which is sent instead of the given one`);
  }
  return warnings;
}
