import type { Replacement } from "../../core/look-alikes.ts";
import type { Template } from "../../core/template.ts";
import { replacementText } from "../../output/look-alikes.ts";
import { plural } from "../../output/text.ts";
import type { Row } from "../../recipients/row.ts";

/** What a person should know of the inputs of a run, gathered while they are read. */
export interface RunNotes {
  readonly skipped: Record<"duplicate" | "excluded" | "invalid", number>;
  /** The first of those left out, in sentences with their lines. */
  readonly firstSkipped: string[];
  unassigned: number;
  /** Texts in which `--gsm7` replaced something. */
  replacedTexts: number;
  /** What it replaced, by character. */
  readonly replaced: Map<string, Replacement>;
  /** Fields with a default that no row has filled yet, as the template writes them. */
  readonly unfilled: Map<string, string>;
}

/** Notes of nothing yet, for recipients that share that template. */
export function newNotes(template: Template | undefined): RunNotes {
  const withDefault = (template?.fields ?? []).filter((field) => field.default !== undefined);
  return {
    skipped: { duplicate: 0, excluded: 0, invalid: 0 },
    firstSkipped: [],
    unassigned: 0,
    replacedTexts: 0,
    replaced: new Map(),
    unfilled: new Map(withDefault.map(({ key, name }) => [key, name])),
  };
}

/** Takes in which fields a row has. */
export function noteFields({ unfilled }: RunNotes, { fields }: Row): void {
  for (const key of unfilled.keys()) {
    if (Object.hasOwn(fields, key) && fields[key]?.trim()) unfilled.delete(key);
  }
}

/** Takes in what was replaced in one text. */
export function noteReplaced(notes: RunNotes, replaced: readonly Replacement[]): void {
  if (replaced.length > 0) notes.replacedTexts++;
  for (const one of replaced) if (!notes.replaced.has(one.character)) notes.replaced.set(one.character, one);
}

/** Who was left out, and how many more, in sentences. */
export function leftOutTexts({ skipped, firstSkipped }: RunNotes): readonly string[] {
  const counts = Object.entries(skipped).filter(([, count]) => count > 0);
  return [...counts.map(([why, count]) => `${count} ${why}`), ...firstSkipped];
}

/** What else should be known before it is sent, in sentences. */
export function warningTexts({ unassigned, replacedTexts, replaced, unfilled }: RunNotes): readonly string[] {
  const warnings: string[] = [];
  if (unassigned > 0) warnings.push(`${plural(unassigned, "number")} in no range known to be in use`);
  if (replacedTexts > 0) {
    warnings.push(`in ${plural(replacedTexts, "text")} ${replacementText([...replaced.values()])}`);
  }
  for (const name of unfilled.values()) {
    warnings.push(`no row fills {{${name}}}, so its default stands in every text`);
  }
  return warnings;
}
