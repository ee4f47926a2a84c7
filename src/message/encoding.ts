/** How a message is encoded: 7 bits a character (160 per segment) or 16 (70 per segment). */
export type Encoding = "GSM-7" | "UCS-2";

/** A text's encoding and its length: septets in GSM-7, UTF-16 code units in UCS-2. */
export interface Measure {
  readonly encoding: Encoding;
  readonly units: number;
}

/** The default alphabet of 3GPP TS 23.038 6.2.1, in its order and without ESC (0x1B). */
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

/** The extension table, 6.2.1.1: ESC and one more septet each. */
const extension = "\f^{}\\[~]|€";

/** Septets for each UTF-16 code unit; 0 if GSM-7 lacks it. */
const septets = new Uint8Array(0x10000);
for (const character of basic) septets[character.charCodeAt(0)] = 1;
for (const character of extension) septets[character.charCodeAt(0)] = 2;

/** Measures a text in GSM-7 if it has every character, else in UCS-2. */
export function measure(text: string): Measure {
  let units = 0;
  for (let index = 0; index < text.length; index++) {
    const size = septets[text.charCodeAt(index)] ?? 0;
    if (size === 0) return { encoding: "UCS-2", units: text.length };
    units += size;
  }
  return { encoding: "GSM-7", units };
}

/** The code point of a character, as in `U+2019`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The encoding that `measure` chooses. */
export function encodingOf(text: string): Encoding {
  return measure(text).encoding;
}

/**
 * The index after the last character from `start` on that fits into `room` units, at least 2. It never splits an escape
 * pair (3GPP TS 23.040 9.2.3.24.1) or a surrogate pair.
 */
export function endOfFit(text: string, encoding: Encoding, start: number, room: number): number {
  if (encoding === "UCS-2") {
    const end = Math.min(start + room, text.length);
    const splitsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    return splitsPair ? end - 1 : end;
  }
  let end = start;
  let left = room;
  while (end < text.length) {
    left -= septets[text.charCodeAt(end)] ?? 0;
    if (left < 0) break;
    end++;
  }
  return end;
}
