import { characterText } from "../message/look-alikes.ts";
import { encodingOf } from "../message/segments.ts";
import type { Sample, SampleMessage } from "../record/plan.ts";

interface CostlierMessages {
  readonly segments: number;
  readonly messages: number;
  /** The first of them, and why each is longer, in words. */
  readonly first: readonly { readonly line: number; readonly why: string }[];
}

export function costlierThanUsual({ bySegments }: Pick<Sample, "bySegments">): readonly CostlierMessages[] {
  const groups = [...bySegments].toSorted(([a], [b]) => b - a);
  const most = Math.max(...groups.map(([, group]) => group.messages));
  // Of two equally usual lengths the shorter one, which comes last.
  const usual = groups.findLast(([, group]) => group.messages === most);
  const [example] = usual?.[1].first ?? [];
  if (usual === undefined || example === undefined) return [];
  return groups
    .filter(([segments]) => segments > usual[0])
    .map(([segments, { messages, first }]) => ({
      segments,
      messages,
      first: first.map((message) => ({ line: message.line, why: whyLonger(message, example) })),
    }));
}

/** Says why a text is longer than another one: by a character that forces Unicode, else by the column that grew most. */
function whyLonger({ text, fields = {} }: SampleMessage, usual: SampleMessage): string {
  const used = Object.entries(fields).filter(([, value]) => value.trim() !== "" && text.includes(value));
  // A column with the whole text is the row's own text.
  const columns = used.filter(([, value]) => value !== text);
  if (encodingOf(text) === "UCS-2" && encodingOf(usual.text) === "GSM-7") {
    const character = Array.from(text).find((one) => encodingOf(one) === "UCS-2") ?? "";
    const [column] = columns.find(([, value]) => value.includes(character)) ?? [];
    return `${characterText(character)}${column === undefined ? "" : ` in ${column}`} forces Unicode`;
  }
  const grown = columns
    .map(([column, value]) => ({ column, by: value.length - (usual.fields?.[column] ?? "").length }))
    .filter(({ by }) => by > 0)
    .toSorted((a, b) => b.by - a.by);
  return grown[0] === undefined ? "a longer text" : `long ${grown[0].column}`;
}
