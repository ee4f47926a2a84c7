import { expect, it } from "vitest";
import { Faults } from "../../src/recipients/row.ts";

function faultsOf(count: number): Faults {
  const faults = new Faults();
  for (let line = 1; line <= count; line++) faults.add({ kind: "fault", line, reason: "it is wrong" });
  return faults;
}

it.each([
  [1, "1 row of list cannot be used", ["line 1: it is wrong"]],
  [2, "2 rows of list cannot be used", ["line 1: it is wrong", "line 2: it is wrong"]],
])("lists %d with line numbers", async (count, message, details) => {
  expect(await faultsOf(count).toUsageError("list")).toMatchObject({
    kind: "usage",
    errorCode: "INVALID_RECIPIENTS",
    message,
    details,
    hint: undefined,
  });
});

it.each([
  [20, ["line 20: it is wrong"]],
  [21, ["line 20: it is wrong", "and 1 more"]],
  [1_000_000, ["line 20: it is wrong", "and 999,980 more"]],
])("lists the first 20 of %d and counts the rest", async (count, end) => {
  const faults = faultsOf(count);
  expect(faults.count).toBe(count);
  expect((await faults.toUsageError("list")).details.slice(19)).toEqual(end);
});

it("shows the first hint", async () => {
  const faults = faultsOf(1);
  faults.add({ kind: "fault", line: 2, reason: "it has no country", hint: "give --country" });
  faults.add({ kind: "fault", line: 3, reason: "it is empty", hint: "fill it in" });
  expect((await faults.toUsageError("list")).hint).toBe("give --country");
});
