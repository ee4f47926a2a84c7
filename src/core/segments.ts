import { type Encoding, endOfFit, type Measure, measure } from "./encoding.ts";

/** What a text comes to: its encoding, its length in septets or UTF-16 code units, and the segments it is billed as. */
export interface SegmentCount extends Measure {
  readonly segments: number;
}

/** A text cut into the segments that travel. */
export interface Segmentation extends SegmentCount {
  /** Units free in the last segment. */
  readonly unitsLeft: number;
  /** The text of each segment; joined, they are the text. */
  readonly parts: readonly string[];
}

/** Units of a segment that travels alone, and of one that gives six octets to the header that joins it to others. */
const capacities = {
  "GSM-7": { alone: 160, joined: 153 },
  "UCS-2": { alone: 70, joined: 67 },
} as const satisfies Record<Encoding, { alone: number; joined: number }>;

/** Counts the segments of a text without cutting it. A text without characters is one segment, as one message is sent. */
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

/** Cuts a text into its segments, each as full as it can be (3GPP TS 23.040 9.2.3.24.1, 8-bit references). */
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

/** The index where the segment that begins at `start` ends, in a text of that measure. */
function endOfSegment(text: string, encoding: Encoding, units: number, start: number): number {
  const { alone, joined } = capacities[encoding];
  if (units <= alone) return text.length;
  // Without an extension character a septet is a character, so there is nothing to walk over.
  if (encoding === "GSM-7" && units === text.length) return Math.min(start + joined, units);
  return endOfFit(text, encoding, start, joined);
}

function unitsLeft(encoding: Encoding, parts: readonly string[]): number {
  const last = parts.at(-1) ?? "";
  const { alone, joined } = capacities[encoding];
  const used = encoding === "GSM-7" ? measure(last).units : last.length;
  return (parts.length === 1 ? alone : joined) - used;
}
