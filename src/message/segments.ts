import { type Encoding, endOfFit, type Measure, measure } from "./encoding.ts";

/** A text's encoding, its length in units of that encoding, and its number of segments. */
export interface SegmentCount extends Measure {
  readonly segments: number;
}

/** A text cut into segments. */
export interface Segmentation extends SegmentCount {
  /** Units free in the last segment. */
  readonly unitsLeft: number;
  /** The text of each segment, in order. */
  readonly parts: readonly string[];
}

/** Units per segment, alone and with the 6-octet concatenation header (3GPP TS 23.040 9.2.3.24.1). */
const capacities = {
  "GSM-7": { alone: 160, joined: 153 },
  "UCS-2": { alone: 70, joined: 67 },
} as const satisfies Record<Encoding, { alone: number; joined: number }>;

/** Counts segments without cutting the text. An empty text is one segment. */
export function countSegments(text: string): SegmentCount {
  const { encoding, units } = measure(text);
  let segments = 1;
  let end = endOfSegment(text, encoding, units, 0);
  while (end < text.length) {
    segments++;
    end = endOfSegment(text, encoding, units, end);
  }
  return { encoding, units, segments };
}

/** Cuts a text into segments, each as full as possible (3GPP TS 23.040 9.2.3.24.1, 8-bit reference numbers). */
export function segment(text: string): Segmentation {
  const { encoding, units } = measure(text);
  const parts: string[] = [];
  let start = 0;
  do {
    const end = endOfSegment(text, encoding, units, start);
    parts.push(text.slice(start, end));
    start = end;
  } while (start < text.length);
  return { encoding, units, segments: parts.length, unitsLeft: unitsLeft(encoding, parts), parts };
}

function endOfSegment(text: string, encoding: Encoding, units: number, start: number): number {
  const { alone, joined } = capacities[encoding];
  if (units <= alone) return text.length;
  // Without extension characters, one character is one septet.
  if (encoding === "GSM-7" && units === text.length) return Math.min(start + joined, units);
  return endOfFit(text, encoding, start, joined);
}

function unitsLeft(encoding: Encoding, parts: readonly string[]): number {
  const last = parts.at(-1) ?? "";
  const { alone, joined } = capacities[encoding];
  const used = encoding === "GSM-7" ? measure(last).units : last.length;
  return (parts.length === 1 ? alone : joined) - used;
}
