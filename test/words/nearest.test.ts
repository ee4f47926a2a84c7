import { expect, it } from "vitest";
import { nearest } from "../../src/words/nearest.ts";

const columns = ["to", "name", "first_name", "amount due", "città"];

it.each([
  ["nmae", "name"],
  ["nam", "name"],
  ["NAME", "name"],
  ["first name", "first_name"],
  ["FirstName", "first_name"],
  ["amount", "amount due"],
  ["citta", "città"],
  ["xyz", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
])("the column nearest to %j is %j", (misspelt, found) => {
  expect(nearest(misspelt, columns)).toBe(found);
});
