import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { encodingOf, countSegments } from "../../src/message/segments.ts";
import { replaceLookAlikes } from "../../src/message/look-alikes.ts";
import { previewOf } from "../../src/message/preview.ts";
import { lookAlikeTexts, texts } from "./texts.ts";
import { seed } from "../support/seed.ts";

/** Every code point of the first two planes but the surrogates: all later ones are ideographs, or nobody's. */
const everyCharacter = Array.from({ length: 0x20000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

describe("the characters that force UCS-2", () => {
  test.each([
    ["none in a GSM-7 text", "Åland: 5 € [ok]\r\n", []],
    ["an equal of several characters, and one of none", "…\u200b", ["… U+2026 1:1 ...", "\u200b U+200B 1:2 "]],
    ["no equal, and a surrogate pair as one, in columns too", "ok 😀 ж", ["😀 U+1F600 1:4 null", "ж U+0436 1:6 null"]],
    ["characters on later lines, whichever way they end", "a\r\n–\n\n\tb", ["– U+2013 2:1 -", "\t U+0009 4:1  "]],
    ["each occurrence of the same", "““", ['“ U+201C 1:1 "', '“ U+201C 1:2 "']],
  ])("lists %s", (_, text, expected) => {
    const characters = previewOf(text).nonGsm7.map(
      ({ character, codePoint, line, column, gsm7 }) => `${character} ${codePoint} ${line}:${column} ${gsm7}`,
    );
    expect(characters).toEqual(expected);
  });

  test("there is one exactly where the text is UCS-2, and it is where it says", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const found = previewOf(text).nonGsm7;
        expect(found.length > 0).toBe(encodingOf(text) === "UCS-2");
        const lines = text.split("\n").map((line) => Array.from(line));
        expect(found.map(({ line, column }) => lines[line - 1]?.[column - 1])).toEqual(
          found.map(({ character }) => character),
        );
      }),
      { seed },
    );
  });
});

describe("replaceLookAlikes", () => {
  test.each([
    ["quotes", "‘it’s’ “so” ‚so‘ „so“", "'it's' \"so\" 'so' \"so\""],
    ["angle quotes, which keep their direction", "«so» ‹so›", "<<so>> <so>"],
    ["an acute accent typed for an apostrophe", "it´s", "it's"],
    ["dashes", "a–b—c‐d‑e‒f―g−1", "a-b-c-d-e-f-g-1"],
    ["an ellipsis", "wait…", "wait..."],
    ["blanks of every width", "a\u00a0b\u2003c\u2009d\u202fe\tf", "a b c d e f"],
    ["line and paragraph separators", "a\u2028b\u2029c", "a\nb\nc"],
    ["full-width forms", "ＨＥＬＬＯ，ｗｏｒｌｄ！　（１２３）～＠＃", "HELLO,world! (123)~@#"],
    ["East Asian stops in a text of Latin letters", "Ok。Yes、no", "Ok.Yes,no"],
    ["modifier letters for quotes", "it\u02BCs \u02BAso\u02BA", 'it\'s "so"'],
    ["ornaments", "❝so❞ ❛a❜ ❨b❩ ❴c❵", "\"so\" 'a' (b) {c}"],
    ["what shows nothing", "a\u200Db\u200Ec\u2062d\uFE0Fe\u034Ff\u202Ag\u0010h", "abcdefgh"],
  ])("replaces %s", (_, text, expected) => {
    expect(replaceLookAlikes(text).text).toBe(expected);
  });

  test.each([
    ["a GSM-7 text", 'It\'s 5 € - "ok"... {x}'],
    ["letters with accents", "çâêîôûãõñáíóúïëžšč"],
    ["accents that stand apart", "cafe\u0301"],
    ["Greek and Cyrillic letters that look Latin", "ΑΒΕ АВЕ"],
    ["Arabic with its joiners", "می\u200cخواهم"],
    ["Devanagari with its joiners", "क्\u200dष"],
    ["family, flag, skin tone and keycap emoji", "👨‍👩‍👧‍👦🇰🇪👍🏿1️⃣❤️"],
    ["directions in a text of their script", "\u200eабв\u200f\u2067x\u2069"],
    ["signs with no equal", "· × ÷ ½ ™ ° № ₦ µ Ω K"],
    ["East Asian punctuation in a text of its script", "，。！？「」　～"],
  ])("leaves %s alone", (_, text) => {
    expect(replaceLookAlikes(text)).toEqual({ text, replacements: [] });
  });

  it("gives GSM-7 where every non-GSM-7 character has an equal", () => {
    fc.assert(
      fc.property(lookAlikeTexts, (text) => {
        expect(encodingOf(replaceLookAlikes(text).text)).toBe("GSM-7");
      }),
      { seed },
    );
  });

  it("finds nothing more to replace in what it gave, and keeps every other character as it is", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: once, replacements } = replaceLookAlikes(text);
        expect(replaceLookAlikes(once)).toEqual({ text: once, replacements: [] });
        const withoutEqual = previewOf(text).nonGsm7.filter(({ gsm7 }) => gsm7 === null);
        expect(previewOf(once).nonGsm7.map(({ character }) => character)).toEqual(
          withoutEqual.map(({ character }) => character),
        );
        expect(replacements.reduce((sum, { count }) => sum + count, 0)).toBe(
          previewOf(text).nonGsm7.length - withoutEqual.length,
        );
      }),
      { seed },
    );
  });
});

describe("the table of look-alikes", () => {
  const lookAlikes = everyCharacter.flatMap((character) => {
    const { text, replacements } = replaceLookAlikes(character);
    return replacements.length === 0 ? [] : [{ character, gsm7: text }];
  });

  it("holds no character of GSM-7, and has only GSM-7 equals", () => {
    expect(lookAlikes.length).toBeGreaterThan(300);
    expect(lookAlikes.filter(({ character }) => encodingOf(character) === "GSM-7")).toEqual([]);
    expect(lookAlikes.filter(({ gsm7 }) => encodingOf(gsm7) !== "GSM-7")).toEqual([]);
  });

  it("holds no letter, digit or mark but those that are letters, digits and marks of GSM-7 in another form", () => {
    const others = lookAlikes.filter(
      ({ character, gsm7 }) => /[\p{L}\p{N}]/u.test(character) && !/^[A-Za-z0-9'":;!=^]$/.test(gsm7),
    );
    expect(others).toEqual([]);
    expect(lookAlikes.filter(({ character, gsm7 }) => /\p{M}/u.test(character) && gsm7 !== "")).toEqual([]);
  });
});

describe("the segments that they add", () => {
  test.each([
    ["what both add together", `${"a".repeat(157)}’😀`, 2],
    ["measured against the size that equals need", `${"a".repeat(158)}…`, 1],
    ["less than nothing if an ellipsis needs fewer units than three full stops", "…".repeat(70), -1],
  ])("is %s", (_, text, segments) => {
    expect(previewOf(text).extraSegments).toBe(segments);
  });

  it("is what replacing saves where every non-GSM-7 character has an equal", () => {
    fc.assert(
      fc.property(lookAlikeTexts, (text) => {
        const replacements = replaceLookAlikes(text).text;
        expect(previewOf(text).extraSegments).toBe(countSegments(text).segments - countSegments(replacements).segments);
      }),
      { seed },
    );
  });
});
