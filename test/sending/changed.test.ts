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
  const [extra] = drafts(1_001).slice(-1);
  const [first, ...others] = rows;
  const heldBack = { ...(first ?? drafts(1)[0]), hold: { reason: "opted out" } } as DraftMessage;
  const change = (line: number, more: Partial<DraftMessage>) =>
    rows.map((row) => (row.line === line ? { ...row, ...more } : row));
  const rest = [heldBack, ...others];
  const another = (words: string, isOtherText = false) => ({ words, isOtherText });

  it.each<[string, readonly (DraftMessage | undefined)[], ReturnType<typeof another> | undefined, typeof rows?]>([
    ["the same on other lines", rows.map((row) => ({ ...row, line: row.line + 7 })), undefined],
    ["the same in another order", numbered(rows.toReversed()), undefined],
    ["a row more", [...rows.slice(0, 3), extra, ...rows.slice(3)], another("other rows: 1 differs, first line 4")],
    ["a row more at the end", [...rows, extra], another("other rows: 1 differs, first line 1001")],
    ["rows less", numbered([...rows.slice(0, 3), ...rows.slice(5)]), another("2 rows more")],
    ["a row less at the end", rows.slice(0, 999), another("1 row more")],
    ["another text", change(2, { text: "Ho" }), another("other rows: 1 differs, first line 2", true)],
    ["another sender", change(3, { sender: acme }), another("other senders", true)],
    ["a row that is held back now", rest, undefined],
    ["a row that was held back before", rest, undefined, rest],
    ["a row that was held back and may go now", rows, another("other rows: 1 differs, first line 1"), rest],
  ])("have %s", async (_, is, changes, was = rows) => {
    const present = is.flatMap((row) => row ?? []);
    const counted = changes?.words.startsWith("other rows") === true ? numbered(present) : present;
    expect(await compare(was, counted)).toEqual(changes);
  });

  it.each([true, false])("name numbers of --to by their place (beside a file: %j)", async (hasFile) => {
    const [one, two] = drafts(2).map((row, index) => ({ ...row, line: hasFile ? -1 - index : 1 + index }));
    if (one === undefined || two === undefined) throw new Error("no rows");
    const changes = await compare([one], [{ ...one, text: "Ho" }, two], hasFile);
    expect(changes).toEqual(another("other rows: 2 differ, first --to 1", true));
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
