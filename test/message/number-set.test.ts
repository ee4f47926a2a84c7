import * as fc from "fast-check";
import { expect, it } from "vitest";
import { NumberSet } from "../../src/message/number-set.ts";
import { seed } from "../support/seed.ts";

/** Keys of E.164, among them neighbours and those that differ in their high bits alone. */
const key = fc.oneof(
  fc.integer({ min: 1, max: 999_999_999_999_999 }),
  fc.integer({ min: 254_712_000_000, max: 254_712_000_050 }),
  fc.integer({ min: 1, max: 20 }).map((high) => high * 2 ** 32 + 7),
);

it("has exactly the numbers that were added", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), fc.array(key), (added, others) => {
      const set = new NumberSet();
      const model = new Set<number>();
      for (const one of added) {
        expect(set.add(one)).toBe(!model.has(one));
        model.add(one);
      }
      expect(set.size).toBe(model.size);
      for (const one of [...added, ...others]) expect(set.has(one)).toBe(model.has(one));
    }),
    { seed },
  );
});

it("keeps the first line of each of many numbers, negative ones too", () => {
  const lines = new NumberSet();
  const keyOf = (index: number) => 254_700_000_000 + index * 7_919;
  for (let index = 1; index <= 5_000; index++) lines.add(keyOf(index), index % 2 === 1 ? index : -index);
  for (let index = 1; index <= 5_000; index++) expect(lines.add(keyOf(index), 7)).toBe(false);
  for (let index = 1; index <= 5_000; index++)
    expect(lines.lineOf(keyOf(index))).toBe(index % 2 === 1 ? index : -index);
  expect(lines.lineOf(254_700_000_001)).toBeUndefined();
});
