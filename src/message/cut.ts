import { countSegments } from "./segments.ts";

export interface CutText {
  readonly text: string;
  readonly cutCharacters: number;
}

/** The first makes a text Unicode, so that the second leaves more room to a text in GSM-7. */
const endings = ["…", "..."] as const;

export function cutterTo(segments: number): (text: string) => CutText {
  return (text) => cutToSegments(text, segments);
}

/** If a cut between words would cost half of the text, as in a script without spaces, then the cut is inside a word. */
export function cutToSegments(text: string, segments: number): CutText {
  if (countSegments(text).segments <= segments) return { text, cutCharacters: 0 };
  const [best] = endings
    .map((ending) => ({ ending, length: lengthBefore(text, ending, segments) }))
    .toSorted((a, b) => b.length - a.length);
  const { ending, length } = best ?? { ending: "", length: 0 };
  const beginning = text.slice(0, endOfWord(text, length));
  return { text: beginning.trimEnd() + ending, cutCharacters: Array.from(text.slice(beginning.length)).length };
}

function lengthBefore(text: string, ending: string, segments: number): number {
  let [short, long] = [0, text.length];
  while (long - short > 1) {
    const middle = Math.floor((short + long) / 2);
    if (countSegments(text.slice(0, middle) + ending).segments <= segments) short = middle;
    else long = middle;
  }
  return short;
}

function endOfWord(text: string, length: number): number {
  if (/\s/.test(text.charAt(length))) return length;
  const space = text.slice(0, length).search(/\s\S*$/);
  if (space >= length / 2) return space;
  const start = new Intl.Segmenter().segment(text).containing(length)?.index ?? 0;
  if (start > 0) return start;
  // A letter under a pile of accents has more code points than fit.
  return text.slice(0, length).isWellFormed() ? length : length - 1;
}
