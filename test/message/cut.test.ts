import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cutToSegments } from "../../src/message/cut.ts";
import { countSegments } from "../../src/message/segments.ts";
import { seed } from "../support/seed.ts";
import { texts } from "./texts.ts";

const words = "word ".repeat(40);

it.each([
  ["a text that fits", "Hi", 1, "Hi", 0],
  ["a text of exactly one segment", "a".repeat(160), 1, "a".repeat(160), 0],
  ["at the end of a word", words, 1, `${"word ".repeat(31)}...`.replace(" ...", "..."), 46],
  ["with an ellipsis where it costs less", "слово ".repeat(20), 1, `${"слово ".repeat(11)}…`.replace(" …", "…"), 55],
  ["in one long word, rather than before it", `Hi ${"a".repeat(200)}`, 1, `Hi ${"a".repeat(154)}...`, 46],
  ["not in the middle of an emoji", `a${"👩‍👩‍👧".repeat(20)}`, 1, `a${"👩‍👩‍👧".repeat(8)}…`, 60],
  ["in what is one character and does not fit", `e${"\u0301".repeat(200)}`, 1, `e${"\u0301".repeat(68)}…`, 132],
])("cuts %s", (_, text, segments, cut, leftOut) => {
  expect(cutToSegments(text, segments)).toEqual({ text: cut, leftOut });
});

it("leaves a text with no more segments than it may have, well formed, as a beginning of the whole", () => {
  const holds = fc.property(
    fc.array(texts, { minLength: 1, maxLength: 20 }),
    fc.integer({ min: 1, max: 4 }),
    (all, most) => {
      const text = all.join(" ");
      const cut = cutToSegments(text, most);
      expect(countSegments(cut.text).segments).toBeLessThanOrEqual(most);
      expect(cut.text.isWellFormed()).toBe(text.isWellFormed());
      expect(text.startsWith(cut.text.replace(/(…|\.\.\.)$/, ""))).toBe(true);
      expect(cut.leftOut > 0).toBe(countSegments(text).segments > most);
    },
  );
  fc.assert(holds, { seed });
});
