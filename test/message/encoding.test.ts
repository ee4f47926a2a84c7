import { describe, expect, it, test } from "vitest";
import { encodingOf, endOfFit, measure } from "../../src/message/encoding.ts";

/** 3GPP TS 23.038 6.2.1 and 6.2.1.1 by code point, independent of the program's own table. */
const oneSeptet = new Set([
  0x0a,
  0x0d,
  0xa1,
  0xa3,
  0xa4,
  0xa5,
  0xa7,
  0xbf,
  0xc4,
  0xc5,
  0xc6,
  0xc7,
  0xc9,
  0xd1,
  0xd6,
  0xd8,
  0xdc,
  0xdf,
  0xe0,
  0xe4,
  0xe5,
  0xe6,
  0xe8,
  0xe9,
  0xec,
  0xf1,
  0xf2,
  0xf6,
  0xf8,
  0xf9,
  0xfc,
  0x393,
  0x394,
  0x398,
  0x39b,
  0x39e,
  0x3a0,
  0x3a3,
  0x3a6,
  0x3a8,
  0x3a9,
  0x40,
  0x5f,
  ...range(0x20, 0x3f),
  ...range(0x41, 0x5a),
  ...range(0x61, 0x7a),
]);
const twoSeptets = new Set([0x0c, 0x5b, 0x5c, 0x5d, 0x5e, 0x7b, 0x7c, 0x7d, 0x7e, 0x20ac]);

describe("measure", () => {
  it("measures every code unit as the standard's tables do", () => {
    expect([oneSeptet.size, twoSeptets.size]).toEqual([127, 10]);
    const wrong = range(0, 0xffff).filter((code) => {
      const { encoding, units } = measure(String.fromCharCode(code));
      const septets = oneSeptet.has(code) ? 1 : twoSeptets.has(code) ? 2 : 0;
      return encoding !== (septets === 0 ? "UCS-2" : "GSM-7") || units !== (septets || 1);
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ["nothing", "", { encoding: "GSM-7", units: 0 }],
    ["a carriage return and a line feed", "\r\n", { encoding: "GSM-7", units: 2 }],
    ["an extension character as two septets", "a€b", { encoding: "GSM-7", units: 4 }],
    ["an extension character in UCS-2 as one unit", "a€bж", { encoding: "UCS-2", units: 4 }],
    ["a character outside the basic plane", "😀", { encoding: "UCS-2", units: 2 }],
    ["the ohm sign, which is not the letter omega", "\u2126", { encoding: "UCS-2", units: 1 }],
    ["the letter omega", "\u03a9", { encoding: "GSM-7", units: 1 }],
  ])("measures %s", (_, text, expected) => {
    expect(measure(text)).toEqual(expected);
    expect(encodingOf(text)).toBe(expected.encoding);
  });
});

describe("endOfFit", () => {
  test.each([
    ["all of a text that fits", "abc", "GSM-7", 0, 160, 3],
    ["as many septets as fit", "abcdef", "GSM-7", 1, 3, 4],
    ["no half of an escape pair", "ab€d", "GSM-7", 0, 3, 2],
    ["a whole escape pair", "ab€d", "GSM-7", 0, 4, 3],
    ["as many code units as fit", "жжжж", "UCS-2", 1, 2, 3],
    ["no half of a surrogate pair", "жж😀ж", "UCS-2", 0, 3, 2],
    ["a whole surrogate pair", "жж😀ж", "UCS-2", 0, 4, 4],
    ["a surrogate pair at the end of the text", "жж😀", "UCS-2", 0, 67, 4],
    ["an extension character as one unit of UCS-2", "ж€€", "UCS-2", 0, 2, 2],
  ] as const)("takes %s", (_, text, encoding, start, room, end) => {
    expect(endOfFit(text, encoding, start, room)).toBe(end);
  });
});

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
