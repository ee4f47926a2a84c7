import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftMessage } from "../../src/record/plan.ts";
import { summarizePlan } from "../../src/record/plan.ts";
import { changesIn } from "../../src/sending/run/changed.ts";
import { seed } from "../support/seed.ts";
import { drafts } from "./running.ts";

async function* iterate<Row extends DraftMessage>(rows: readonly Row[]): AsyncGenerator<Row, void> {
  yield* rows;
}

async function compare(was: readonly DraftMessage[], is: readonly DraftMessage[], hasFile = true) {
  const rows = was.flatMap((draft) => (draft.hold === undefined ? [draft] : []));
  const planned = iterate(rows.map((draft, index) => ({ ...draft, index })));
  return changesIn(iterate(is), planned, await summarizePlan(was), hasFile);
}

function numbered(rows: readonly DraftMessage[]): readonly DraftMessage[] {
  return rows.map((row, index) => ({ ...row, line: index + 1 }));
}

const rows = drafts(1_000);
const acme = { kind: "name", name: "ACME" } as const;

describe("the rows of a command beside the plan of a run", () => {
  it("are the same, also on other lines", async () => {
    expect(await compare(rows, rows)).toBeUndefined();
    expect(
      await compare(
        rows,
        rows.map((row) => ({ ...row, line: row.line + 7 })),
      ),
    ).toBeUndefined();
  });

  const [extra] = drafts(1_001).slice(-1);
  it.each<[string, readonly (DraftMessage | undefined)[], string]>([
    ["a row more", [...rows.slice(0, 3), extra, ...rows.slice(3)], "other rows: 1 differs, first line 4"],
    ["a row more at the end", [...rows, extra], "other rows: 1 differs, first line 1001"],
    ["rows less", [...rows.slice(0, 3), ...rows.slice(5)], "2 rows more"],
    ["rows less at the end", rows.slice(0, 999), "1 row more"],
  ])("have %s", async (_, is, words) => {
    const found = is.flatMap((row) => row ?? []);
    expect(await compare(rows, numbered(found))).toEqual({ words, isOtherText: false });
  });

  it("are the same in another order", async () => {
    expect(await compare(rows, numbered(rows.toReversed()))).toBeUndefined();
  });

  it.each([true, false])("name numbers of --to by their place (beside a file: %j)", async (hasFile) => {
    const [one, two] = drafts(2).map((row, index) => ({ ...row, line: hasFile ? -1 - index : 1 + index }));
    if (one === undefined || two === undefined) throw new Error("no rows");
    const words = "other rows: 2 differ, first --to 1";
    expect(await compare([one], [{ ...one, text: "Ho" }, two], hasFile)).toEqual({ words, isOtherText: true });
  });

  it("have another text", async () => {
    const changed = rows.map((row) => (row.line === 2 ? { ...row, text: "Ho" } : row));
    expect(await compare(rows, changed)).toEqual({ words: "other rows: 1 differs, first line 2", isOtherText: true });
  });

  it("have another sender", async () => {
    const changed = rows.map((row) => (row.line === 3 ? { ...row, sender: acme } : row));
    expect(await compare(rows, changed)).toEqual({ words: "other senders", isOtherText: true });
  });

  it("are the same if a row is held back now, and not if one that was held back may go now", async () => {
    const [one, ...others] = rows;
    if (one === undefined) throw new Error("no rows");
    const isHeld = { ...one, hold: { reason: "opted out" } };
    expect(await compare(rows, [isHeld, ...others])).toBeUndefined();
    expect(await compare([isHeld, ...others], [isHeld, ...others])).toBeUndefined();
    expect(await compare([isHeld, ...others], rows)).toMatchObject({ words: "other rows: 1 differs, first line 1" });
  });

  it("are the same if and only if none was added, removed or changed", async () => {
    const steps = fc.array(fc.constantFrom("keep", "keep", "keep", "hold", "remove", "add", "change"), {
      maxLength: 20,
    });
    const holds = fc.asyncProperty(steps, async (chosen) => {
      const was: DraftMessage[] = [];
      const is: DraftMessage[] = [];
      for (const [index, row] of drafts(chosen.length).entries()) {
        const step = chosen[index];
        if (step !== "add") was.push(row);
        if (step === "hold") is.push({ ...row, hold: { reason: "opted out" } });
        else if (step !== "remove") is.push(step === "change" ? { ...row, text: "Ho" } : row);
      }
      const isSame = chosen.every((step) => step === "keep" || step === "hold");
      expect((await compare(was, numbered(is))) === undefined).toBe(isSame);
    });
    await fc.assert(holds, { seed, numRuns: 200 });
  });
});
