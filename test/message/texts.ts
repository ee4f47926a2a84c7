import * as fc from "fast-check";

const basic = fc.constantFrom(...Array.from("abc XYZ 0123 @£é\nÅ_ΔΩ?¡\r"));
const extension = fc.constantFrom(...Array.from("^{}\\[~]|€\f"));
const lookAlike = fc.constantFrom(...Array.from("’‘“”–—…«\u00a0\u2009\u200b\t"));
const foreign = fc.constantFrom(...Array.from("çжαمक한`•\u001b"));
const cluster = fc.constantFrom("😀", "👨‍👩‍👧‍👦", "🇰🇪", "👍🏿", "1️⃣", "e\u0301", "\r\n", "नि");
/** Any code point but surrogates. The one of fast-check takes most of a second to make. */
const anything = fc.integer({ min: 0, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
const endlessCluster = fc.constant(`e${"\u0301".repeat(70)}`);

/** Texts of any characters. */
export const anyText = joined(anything, 40);

/** Well-formed texts of every kind that is counted differently, many about one or two segments long. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: around([153, 160], { a: 1, "€": 2 }, joined(fc.oneof(basic, extension), 4)), weight: 1 },
  {
    arbitrary: around([67, 70], { ж: 1, "😀": 2 }, joined(fc.oneof(extension, lookAlike, cluster, endlessCluster), 2)),
    weight: 2,
  },
  { arbitrary: joined(fc.oneof(basic, extension, lookAlike, foreign, cluster), 40), weight: 3 },
  { arbitrary: anyText, weight: 2 },
);

/** Texts whose non-GSM-7 characters are all look-alikes. */
export const lookAlikeTexts: fc.Arbitrary<string> = joined(fc.oneof(basic, extension, lookAlike), 200);

/** Texts with two repetitions of a character, each about `units` long, and other text around them. */
function around(
  units: readonly number[],
  sizes: Readonly<Record<string, number>>,
  between: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const run = fc
    .tuple(fc.constantFrom(...Object.entries(sizes)), fc.constantFrom(...units), fc.integer({ min: -3, max: 1 }))
    .map(([[character, size], length, shift]) => character.repeat((length + shift) / size));
  return fc.tuple(between, run, between, run, between).map((pieces) => pieces.join(""));
}

function joined(piece: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength }).map((pieces) => pieces.join(""));
}
