import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { split } from "split-sms";
import { beforeAll, describe, expect, it } from "vitest";
import { segment } from "../../src/message/segments.ts";
import { trials } from "../support/trials.ts";
import { texts } from "./texts.ts";

/** Where sms-segments-calculator deviates from the standard, with an example for each. */
const rules = [
  {
    name: "a grapheme stays whole, so a segment may end before it is full",
    explains: (graphemes: readonly string[]) => graphemes.some((grapheme) => grapheme.length <= 67),
    example: { text: `${"ж".repeat(66)}e\u0301${"ж".repeat(66)}`, ours: [67, 67], theirs: [66, 67, 1] },
  },
  {
    name: "a grapheme longer than a segment still goes into one",
    explains: (graphemes: readonly string[]) => graphemes.some((grapheme) => grapheme.length > 67),
    example: { text: `e${"\u0301".repeat(150)}`, ours: [67, 67, 17], theirs: [0, 151] },
  },
];

const count = trials("TEXTS", 1_500, 5_000);
let generated: readonly string[];

beforeAll(() => {
  generated = fc.sample(texts, { seed: 23_040, numRuns: count });
});

describe("split-sms", () => {
  it(`cuts ${count} texts as we do`, () => {
    const compared = generated.map((text) => ({ ours: segment(text), theirs: splitSms(text) }));
    expect(compared.filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))).toEqual([]);
  });
});

describe("sms-segments-calculator", () => {
  let compared: readonly Compared[];
  let differing: readonly { readonly text: string; readonly why: readonly string[] }[];

  beforeAll(() => {
    compared = generated.map((text) => ({ text, ours: ourMeasure(text), theirs: segmentsCalculator(text) }));
    differing = compared
      .filter(({ ours, theirs }) => !isDeepStrictEqual(ours.parts, theirs.parts))
      .map(({ text }) => ({ text, why: explanationsOf(text) }));
  });

  it(`measures ${count} texts as we do`, () => {
    const differently = compared.filter(
      ({ ours, theirs }) => ours.encoding !== theirs.encoding || ours.units !== theirs.units,
    );
    expect(differently).toEqual([]);
  });

  it("cuts them as we do, except where a known rule explains it", () => {
    expect(differing.filter(({ why }) => why.length === 0)).toEqual([]);
  });

  it.each(rules)("needs the rule: $name", ({ name, explains, example: { text, ours, theirs } }) => {
    expect(differing.some(({ why }) => isDeepStrictEqual(why, [name]))).toBe(true);
    expect(explains(splitGraphemes(text))).toBe(true);
    expect(ourMeasure(text).parts.map((part) => part.length)).toEqual(ours);
    expect(segmentsCalculator(text).parts.map((part) => part.length)).toEqual(theirs);
  });
});

interface Compared {
  readonly text: string;
  readonly ours: ReturnType<typeof ourMeasure>;
  readonly theirs: ReturnType<typeof segmentsCalculator>;
}

function ourMeasure(text: string) {
  const { encoding, units, parts } = segment(text);
  return { encoding, units, parts };
}

function splitSms(text: string) {
  const { characterSet, bytes, remainingInPart, parts } = split(text);
  return {
    encoding: characterSet === "GSM" ? "GSM-7" : "UCS-2",
    units: characterSet === "GSM" ? bytes : bytes / 2,
    segments: parts.length,
    unitsLeft: remainingInPart,
    parts: parts.map(({ content }) => content),
  };
}

function segmentsCalculator(text: string) {
  const { encodingName, messageSize, segments } = new SegmentedMessage(text);
  return {
    encoding: encodingName,
    units: messageSize / (encodingName === "GSM-7" ? 7 : 16),
    // Its segments start with headers, which have no text.
    parts: segments.map((characters) => Array.from(characters, ({ raw = "" }: { raw?: string }) => raw).join("")),
  };
}

/** The names of the rules by which the calculator may cut a text in another way. */
function explanationsOf(text: string): readonly string[] {
  const graphemes = splitGraphemes(text);
  return rules.filter(({ explains }) => explains(graphemes)).map(({ name }) => name);
}

/** The calculator's graphemes that our segmentation splits. */
function splitGraphemes(text: string): readonly string[] {
  const cuts = new Set<number>();
  let cut = 0;
  for (const part of segment(text).parts) cuts.add((cut += part.length));
  let end = 0;
  return new SegmentedMessage(text).graphemes.filter((grapheme) => {
    const start = end;
    end += grapheme.length;
    return range(start + 1, end).some((index) => cuts.has(index));
  });
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
