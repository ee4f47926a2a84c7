import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftMessage } from "../../src/record/plan.ts";
import { type PlanRow, summarizePlan } from "../../src/record/plan.ts";
import { changesIn } from "../../src/sending/run/changed-rows.ts";
import { newRunName } from "../../src/sending/run/plan.ts";
import { seed } from "../support/seed.ts";
import { drafts } from "./running.ts";

async function* iterate<Row extends PlanRow>(rows: readonly Row[]): AsyncGenerator<Row, void> {
  yield* rows;
}

async function compare(was: readonly PlanRow[], is: readonly PlanRow[], hasOwnTexts = false) {
  const rows = was.flatMap((row) => (row.kind === "left-out" ? [] : [row]));
  const planned = iterate(rows.map((draft, index) => ({ ...draft, index })));
  return changesIn(iterate(is), planned, await summarizePlan(was), { hasFile: true, hasOwnTexts });
}

function numbered(rows: readonly PlanRow[]): readonly PlanRow[] {
  return rows.map((row, index) => ({ ...row, line: index + 1 }));
}

const rows = drafts(1_000);
const acme = { kind: "name", name: "ACME" } as const;

describe("the rows of a command beside the plan of a run", () => {
  const more = drafts(1_001);
  const [before, after] = [rows.slice(0, 3), rows.slice(3)];
  const change = (line: number, fields: Partial<DraftMessage>) =>
    rows.map((row) => (row.line === line ? { ...row, ...fields } : row));
  const heldBack = (message: DraftMessage) => {
    const { line, to } = message;
    return { kind: "left-out", line, to, reason: "optedOut", held: message } as const;
  };
  const oneHeldBack: readonly PlanRow[] = rows.map((row) => (row.line === 1 ? heldBack(row) : row));
  const another = (words: string, isOtherText = false) => ({ words, isOtherText });

  it.each<[string, readonly PlanRow[], ReturnType<typeof another> | undefined, (readonly PlanRow[])?]>([
    ["the same on other lines", rows.map((row) => ({ ...row, line: row.line + 7 })), undefined],
    ["the same in another order", numbered(rows.toReversed()), undefined],
    ["a row more", numbered([...before, ...more.slice(-1), ...after]), another("other rows: 1 differs, first line 4")],
    ["a row more at the end", more, another("other rows: 1 differs, first line 1001")],
    ["rows less", numbered([...before, ...after.slice(2)]), another("2 rows more")],
    ["a row less at the end", rows.slice(0, 999), another("1 row more")],
    ["another text", change(2, { text: "Ho" }), another("another text: 1 differs, first line 2", true)],
    ["another sender", change(3, { sender: acme }), another("other senders", true)],
    [
      "another sender, and a row that is held back",
      [...oneHeldBack.slice(0, 1), ...change(3, { sender: acme }).slice(1)],
      another("other senders", true),
    ],
    ["a row that is held back now", oneHeldBack, undefined],
    ["a row that was held back before", oneHeldBack, undefined, oneHeldBack],
    ["a row that was held back and may go now", rows, undefined, oneHeldBack],
  ])("have %s", async (_, is, changes, was = rows) => {
    expect(await compare(was, is)).toEqual(changes);
  });

  it("have another text only by a template: a row's own text, and one whose fields were corrected, are other rows", async () => {
    const corrected = change(2, { text: "Ho", fields: { due: "5" } });
    expect((await compare(rows, change(2, { text: "Ho" }), true))?.isOtherText).toBe(false);
    expect((await compare(change(2, { fields: { due: "4" } }), corrected))?.isOtherText).toBe(false);
    expect((await compare(rows, corrected))?.isOtherText).toBe(true);
    expect((await compare(corrected, change(2, { text: "Hey", fields: { due: "5" } })))?.isOtherText).toBe(true);
  });

  it("are the same if and only if none was added, removed or changed", async () => {
    const steps = fc.array(fc.constantFrom("keep", "keep", "keep", "hold", "remove", "add", "change"), {
      maxLength: 20,
    });
    const holds = fc.asyncProperty(steps, async (chosen) => {
      const was: DraftMessage[] = [];
      const is: PlanRow[] = [];
      for (const [index, row] of drafts(chosen.length).entries()) {
        const step = chosen[index];
        if (step !== "add") was.push(row);
        if (step === "hold") is.push(heldBack(row));
        else if (step !== "remove") is.push(step === "change" ? { ...row, text: "Ho" } : row);
      }
      const isSame = chosen.every((step) => step === "keep" || step === "hold");
      expect((await compare(was, numbered(is))) === undefined).toBe(isSame);
    });
    await fc.assert(holds, { seed, numRuns: 200 });
  });
});

it.each([
  [0, "20260102-030405-0000"],
  [0.999_999_9, "20260102-030405-zzzz"],
])("a run without a name is named by time and chance %d: %s", (random, name) => {
  expect(newRunName(Date.UTC(2026, 0, 2, 3, 4, 5, 678), random)).toBe(name);
});
