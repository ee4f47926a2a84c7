import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cutToSegments } from "../../src/message/cut.ts";
import { countSegments, encodingOf, segment } from "../../src/message/segments.ts";
import vectorFile from "./segments-vectors.json" with { type: "json" };
import { texts } from "./texts.ts";
import { seed } from "../support/seed.ts";

describe("countSegments", () => {
  it.each(vectorFile.vectors)("matches the vector: $name", ({ text, encoding, units, segments }) => {
    expect(countSegments(text)).toEqual({ encoding, units, segments });
  });
});

describe("segment", () => {
  // Counted by hand for 160/153 septets and 70/67 code units.
  test.each([
    ["nothing", "", "GSM-7", 0, 160, [0]],
    ["one full segment", "a".repeat(160), "GSM-7", 160, 0, [160]],
    ["an escape pair on the boundary", `${"a".repeat(152)}{${"a".repeat(7)}`, "GSM-7", 161, 144, [152, 8]],
    ["escape pairs on two boundaries", `${"a".repeat(152)}~${"b".repeat(150)}~c`, "GSM-7", 307, 150, [152, 151, 2]],
    ["one segment of UCS-2", "ж".repeat(70), "UCS-2", 70, 0, [70]],
    ["160 units with a curly quote", `${"a".repeat(13)}’${"a".repeat(146)}`, "UCS-2", 160, 41, [67, 67, 26]],
    ["a surrogate pair on the boundary", `${"ж".repeat(66)}😀жжж`, "UCS-2", 71, 62, [66, 5]],
    ["a last part that GSM-7 could hold", `ж${"€".repeat(70)}`, "UCS-2", 71, 63, [67, 4]],
  ] as const)("cuts %s", (_, text, encoding, units, unitsLeft, lengths) => {
    const { parts, ...rest } = segment(text);
    expect(rest).toEqual({ encoding, units, unitsLeft, segments: lengths.length });
    expect(parts.map((part) => part.length)).toEqual(lengths);
    expect(parts.join("")).toBe(text);
  });

  test("joined parts equal the text, and countSegments counts as many", () => {
    assertForAll((text, { parts, encoding, units, segments }) => {
      expect(parts.join("")).toBe(text);
      expect(countSegments(text)).toEqual({ encoding, units, segments });
      expect(encodingOf(text)).toBe(encoding);
    });
  });

  test("no part exceeds its size, and unitsLeft is the rest of the last one", () => {
    assertForAll((_, { encoding, parts, unitsLeft }) => {
      const size = sizeOf(encoding, parts.length);
      const sizes = parts.map((part) => unitsOf(part, encoding));
      expect(sizes.filter((units) => units > size)).toEqual([]);
      expect(unitsLeft).toBe(size - (sizes.at(-1) ?? 0));
    });
  });

  test("no part has room for the first character of the next", () => {
    assertForAll((_, { encoding, parts }) => {
      const size = sizeOf(encoding, parts.length);
      const roomy = parts.slice(1).filter((part, index) => {
        const [first = ""] = part;
        return unitsOf((parts[index] ?? "") + first, encoding) <= size;
      });
      expect(roomy).toEqual([]);
    });
  });

  test("no part splits a surrogate pair", () => {
    assertForAll((_, { parts }) => expect(parts.filter((part) => /\p{Surrogate}/u.test(part))).toEqual([]));
  });

  // 67 units of UCS-2 are at most 134 septets, so a segment still fits after a change of encoding.
  test("removing a character never adds a segment, and saves at most one if the encoding stays", () => {
    const withoutOne = texts
      .filter((text) => text !== "")
      .chain((text) => {
        const characters = Array.from(text);
        return fc.nat(characters.length - 1).map((at) => ({ text, without: characters.toSpliced(at, 1).join("") }));
      });
    fc.assert(
      fc.property(withoutOne, ({ text, without }) => {
        const before = countSegments(text);
        const after = countSegments(without);
        const most = before.encoding === after.encoding ? 1 : before.segments - 1;
        expect(after.segments).toBeLessThanOrEqual(before.segments);
        expect(after.segments).toBeGreaterThanOrEqual(before.segments - most);
      }),
      { seed, numRuns: 2000 },
    );
  });

  test("removing the only non-GSM-7 character may save many segments", () => {
    const text = "a".repeat(1599);
    expect(countSegments(`${text}’`).segments).toBe(24);
    expect(countSegments(text).segments).toBe(11);
  });
});

function assertForAll(claim: (text: string, segmentation: ReturnType<typeof segment>) => void): void {
  fc.assert(
    fc.property(texts, (text) => {
      claim(text, segment(text));
    }),
    { seed, numRuns: 1000 },
  );
}

function sizeOf(encoding: string, segments: number): number {
  if (encoding === "GSM-7") return segments === 1 ? 160 : 153;
  return segments === 1 ? 70 : 67;
}

function unitsOf(text: string, encoding: string): number {
  const escapes = encoding === "GSM-7" ? (text.match(/[\f^{}\\[~\]|€]/g) ?? []) : [];
  return text.length + escapes.length;
}

/** 3GPP TS 23.038 6.2.1 and 6.2.1.1 by code point, independent of the program's own table. */
const oneSeptet = new Set([
  ...codes("0a 0d 40 5f a1 a3 a4 a5 a7 bf c4 c5 c6 c7 c9 d1 d6 d8 dc df e0 e4 e5 e6 e8 e9 ec f1 f2 f6 f8 f9 fc"),
  ...codes("393 394 398 39b 39e 3a0 3a3 3a6 3a8 3a9"),
  ...range(0x20, 0x3f),
  ...range(0x41, 0x5a),
  ...range(0x61, 0x7a),
]);
const twoSeptets = new Set(codes("0c 5b 5c 5d 5e 7b 7c 7d 7e 20ac"));

describe("the encoding", () => {
  it("measures every code unit as the standard's tables do", () => {
    expect(oneSeptet.size).toBe(127);
    expect(twoSeptets.size).toBe(10);
    const wrong = range(0, 0xffff).filter((code) => {
      const text = String.fromCharCode(code);
      const { encoding, units } = countSegments(text);
      const septets = oneSeptet.has(code) ? 1 : twoSeptets.has(code) ? 2 : 0;
      const expected = septets === 0 ? "UCS-2" : "GSM-7";
      return encoding !== expected || encodingOf(text) !== expected || units !== (septets || 1);
    });
    expect(wrong).toEqual([]);
  });
});

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function codes(hex: string): readonly number[] {
  return hex.split(" ").map((code) => Number.parseInt(code, 16));
}

describe("a text cut to segments", () => {
  const words = "word ".repeat(40);

  it.each([
    ["a text that fits", "Hi", 1, "Hi", 0],
    ["a text of exactly one segment", "a".repeat(160), 1, "a".repeat(160), 0],
    ["at the end of a word", words, 1, `${"word ".repeat(31)}...`.replace(" ...", "..."), 46],
    ["with an ellipsis where it costs less", "слово ".repeat(20), 1, `${"слово ".repeat(11)}…`.replace(" …", "…"), 55],
    ["in one long word, rather than before it", `Hi ${"a".repeat(200)}`, 1, `Hi ${"a".repeat(154)}...`, 46],
    ["not in the middle of an emoji", `a${"👩‍👩‍👧".repeat(20)}`, 1, `a${"👩‍👩‍👧".repeat(8)}…`, 60],
    ["in what is one character and does not fit", `e${"\u0301".repeat(200)}`, 1, `e${"\u0301".repeat(68)}…`, 132],
  ])("is cut %s", (_, text, segments, cut, cutCharacters) => {
    expect(cutToSegments(text, segments)).toEqual({ text: cut, cutCharacters });
  });

  it("has no more segments than it may have, well formed, as a beginning of the whole", () => {
    const holds = fc.property(
      fc.array(texts, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (all, most) => {
        const text = all.join(" ");
        const cut = cutToSegments(text, most);
        expect(countSegments(cut.text).segments).toBeLessThanOrEqual(most);
        expect(cut.text.isWellFormed()).toBe(text.isWellFormed());
        expect(text.startsWith(cut.text.replace(/(…|\.\.\.)$/, ""))).toBe(true);
        expect(cut.cutCharacters > 0).toBe(countSegments(text).segments > most);
      },
    );
    fc.assert(holds, { seed });
  });
});
