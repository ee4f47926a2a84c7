import { describe, expect, it } from "vitest";
import { addToSample, newSample } from "../../src/record/plan.ts";
import { costlierThanUsual } from "../../src/sending/costlier.ts";

type Row = readonly [text: string, segments: number, fields?: Readonly<Record<string, string>>];

function costlier(...rows: readonly Row[]) {
  const sample = newSample();
  for (const [index, [text, segments, fields]] of rows.entries()) {
    addToSample(sample, { line: index + 1, to: "+254712345678", text, segments, ...(fields && { fields }) });
  }
  return costlierThanUsual(sample).map(({ segments, messages, first }) => [
    segments,
    messages,
    first.map(({ line, why }) => `${line} ${why}`),
  ]);
}

describe("messages that cost more than the others", () => {
  it.each<[string, readonly Row[], readonly unknown[]]>([
    ["none of none", [], []],
    ["none if all cost the same", [["a", 2] as const, ["b", 2] as const], []],
    ["the longer half of a list", [["a", 1] as const, ["ab", 2] as const], [[2, 1, ["2 a longer text"]]]],
    ["none if most are long", [["a", 1] as const, ["ab", 2] as const, ["abc", 2] as const], []],
    [
      "by the column that grew most",
      [
        ["Hi Al of Rome", 1, { name: "Al", town: "Rome", note: "x" }],
        ["Hi Bo of Rome", 1, { name: "Bo", town: "Rome" }],
        ["Hi Cyd of Llanfair", 2, { name: "Cyd", town: "Llanfair", note: "not in the text" }],
      ],
      [[2, 1, ["3 long town"]]],
    ],
    [
      "by the character that forces Unicode, with its name if it has one",
      [
        ["Hi Al", 1, { name: "Al" }],
        ["Hi Bo", 1, { name: "Bo" }],
        ["Hi Şen", 2, { name: "Şen" }],
        ["Hi O’Hara", 2, { name: "O’Hara" }],
      ],
      [[2, 2, ["3 Ş in name forces Unicode", "4 ’ in name forces Unicode"]]],
    ],
    [
      "by a text of their own",
      [
        ["Hi", 1, { message: "Hi", name: "" }],
        ["Ho", 1, { message: "Ho", name: "" }],
        ["Hi there", 2, { message: "Hi there", name: "" }],
      ],
      [[2, 1, ["3 a longer text"]]],
    ],
  ])("are named %s", (_, rows, expected) => {
    expect(costlier(...rows)).toEqual(expected);
  });
});
