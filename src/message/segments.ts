export type Encoding = "GSM-7" | "UCS-2";

/** The length is in septets, or in UTF-16 code units. */
export interface SegmentCount {
  readonly encoding: Encoding;
  readonly units: number;
  readonly segments: number;
}

export interface Segmentation extends SegmentCount {
  readonly unitsLeft: number;
  readonly parts: readonly string[];
}

/** The default alphabet of 3GPP TS 23.038 6.2.1, in its order and without ESC (0x1B). */
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

/** The extension table, 6.2.1.1: ESC and one more septet each. */
const extension = "\f^{}\\[~]|€";

/** 0 if GSM-7 lacks the code unit. */
const septets = new Uint8Array(0x10000);
for (const character of basic) septets[character.charCodeAt(0)] = 1;
for (const character of extension) septets[character.charCodeAt(0)] = 2;

/** The second number leaves room for the 6-octet concatenation header (3GPP TS 23.040 9.2.3.24.1). */
const capacities = {
  "GSM-7": { alone: 160, joined: 153 },
  "UCS-2": { alone: 70, joined: 67 },
} as const satisfies Record<Encoding, { alone: number; joined: number }>;

export function encodingOf(text: string): Encoding {
  return measure(text).encoding;
}

function measure(text: string): Pick<SegmentCount, "encoding" | "units"> {
  let units = 0;
  for (let index = 0; index < text.length; index++) {
    const size = septets[text.charCodeAt(index)] ?? 0;
    if (size === 0) return { encoding: "UCS-2", units: text.length };
    units += size;
  }
  return { encoding: "GSM-7", units };
}

export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

export function countSegments(text: string): SegmentCount {
  const { encoding, units, segments } = segment(text);
  return { encoding, units, segments };
}

/** Each segment is as full as possible (3GPP TS 23.040 9.2.3.24.1, 8-bit reference numbers). */
export function segment(text: string): Segmentation {
  const { encoding, units } = measure(text);
  const parts: string[] = [];
  let start = 0;
  do {
    const end = endOfSegment(text, encoding, { units, start });
    parts.push(text.slice(start, end));
    start = end;
  } while (start < text.length);
  const last = parts.at(-1) ?? "";
  const unitsOfLast = encoding === "GSM-7" ? measure(last).units : last.length;
  const { alone, joined } = capacities[encoding];
  return {
    encoding,
    units,
    segments: parts.length,
    unitsLeft: (parts.length === 1 ? alone : joined) - unitsOfLast,
    parts,
  };
}

/** Never splits an escape pair or a surrogate pair. */
function endOfSegment(
  text: string,
  encoding: Encoding,
  { units, start }: { readonly units: number; readonly start: number },
): number {
  const { alone, joined } = capacities[encoding];
  if (units <= alone) return text.length;
  if (encoding === "UCS-2") {
    const end = Math.min(start + joined, text.length);
    const splitsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    return splitsPair ? end - 1 : end;
  }
  // Without extension characters, one character is one septet.
  if (units === text.length) return Math.min(start + joined, units);
  let end = start;
  let room = joined;
  while (end < text.length) {
    room -= septets[text.charCodeAt(end)] ?? 0;
    if (room < 0) break;
    end++;
  }
  return end;
}
