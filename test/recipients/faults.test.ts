import { expect, it } from "vitest";
import { Faults } from "../../src/recipients/faults.ts";

function faultsOf(count: number): Faults {
  const faults = new Faults();
  for (let line = 1; line <= count; line++) faults.add({ kind: "fault", line, reason: "it is wrong" });
  return faults;
}

it("lists faults with line numbers, and with no hint if none has one", async () => {
  expect(await faultsOf(1).toUsageError("list")).toMatchObject({ message: "1 row of list cannot be used" });
  expect(await faultsOf(2).toUsageError("list")).toMatchObject({
    kind: "usage",
    errorCode: "INVALID_RECIPIENTS",
    message: "2 rows of list cannot be used",
    details: ["line 1: it is wrong", "line 2: it is wrong"],
    hint: undefined,
  });
});

it("has every fault, and counts them by cause with the first three of each", async () => {
  const faults = faultsOf(1_000);
  for (const line of [1_001, 1_002])
    faults.add({ kind: "fault", line, reason: "it has no name", hint: "fill it in", cause: "field" });

  const error = await faults.toUsageError("list", 7);

  const first = [1, 2, 3].map((line) => `line ${line}: it is wrong`);
  const lacking = { reason: "field", words: "a field without a value", hint: "fill it in", rows: 2 };
  expect(error.details).toHaveLength(1_002);
  expect(error.faults).toEqual({
    usable: 7,
    reasons: [
      { reason: "row", words: "a row that cannot be read", rows: 1_000, first },
      { ...lacking, first: ["line 1001: it has no name", "line 1002: it has no name"] },
    ],
  });
});

it.each([
  [undefined, undefined, "give --country"],
  ["list.csv", undefined, "give --country"],
  ["list.csv", 2, "give --country; or `sms clean list.csv` sorts them out; or --skip-invalid sends to the other 2"],
  ["my list.csv", 0, "give --country; or `sms clean 'my list.csv'` sorts them out"],
  ["standard input", 1, "give --country; or `sms clean FILE` sorts them out; or --skip-invalid sends to the other 1"],
])("names the ways on for %s with %s usable rows", async (name, usable, hint) => {
  const faults = new Faults();
  faults.add({ kind: "fault", line: 2, reason: "it has no country", hint: "give --country", cause: "no-country" });
  expect((await faults.toUsageError(name, usable)).hint).toBe(hint);
});

it("offers no cleaning for two messages to one number, which keeps both rows", async () => {
  const faults = new Faults();
  faults.add({ kind: "fault", line: 2, reason: "it is on line 3 too", hint: "--allow-duplicates", cause: "differs" });

  const { hint } = await faults.toUsageError("list.csv", 1);

  expect(hint).toBe("--allow-duplicates; or --skip-invalid sends to the other 1");
});

it("shows the first hint", async () => {
  const faults = faultsOf(1);
  faults.add({ kind: "fault", line: 2, reason: "it has no country", hint: "give --country" });
  faults.add({ kind: "fault", line: 3, reason: "it is empty", hint: "fill it in" });
  expect((await faults.toUsageError("list")).hint).toBe("give --country");
});
