import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftMessage } from "../../src/record/plan.ts";
import { comparePlan } from "../../src/runs/planning.ts";
import { seed } from "../support/seed.ts";
import { drafts } from "./running.ts";

async function* iterate<Row extends DraftMessage>(rows: readonly Row[]): AsyncGenerator<Row, void> {
  yield* rows;
}

async function compare(was: readonly DraftMessage[], is: readonly DraftMessage[], hasFile = true) {
  return comparePlan(iterate(was.map((draft, index) => ({ ...draft, index }))), iterate(is), hasFile);
}

/** The rows on lines of their own again. */
function numbered(rows: readonly DraftMessage[]): readonly DraftMessage[] {
  return rows.map((row, index) => ({ ...row, line: index + 1 }));
}

const nobody = { added: 0, removed: 0, changed: new Map(), reordered: 0 };
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

  it("have a row more", async () => {
    const [extra] = drafts(1_001).slice(-1);
    if (extra === undefined) throw new Error("no row");
    const changes = await compare(rows, numbered([...rows.slice(0, 3), extra, ...rows.slice(3)]));
    expect(changes).toEqual({ ...nobody, added: 1, first: ["line 4: +254700001000 is new"] });
  });

  it.each([true, false])("name numbers of --to by their place (beside a file: %j)", async (hasFile) => {
    const [one, two] = drafts(2).map((row, index) => ({ ...row, line: hasFile ? -1 - index : 1 + index }));
    if (one === undefined || two === undefined) throw new Error("no rows");
    const changes = await compare([one], [{ ...one, text: "Ho" }, two], hasFile);
    expect(changes?.first).toEqual([`--to 1: the text for ${one.to} is different`, `--to 2: ${two.to} is new`]);
  });

  it("have rows less", async () => {
    const changes = await compare(rows, numbered([...rows.slice(0, 3), ...rows.slice(5)]));
    const first = [
      "+254700000003, which was line 4, is missing now",
      "+254700000004, which was line 5, is missing now",
    ];
    expect(changes).toEqual({ ...nobody, removed: 2, first });
  });

  it("have another text and another sender", async () => {
    const changed = rows.map((row) => {
      if (row.line === 2) return { ...row, text: "Ho" };
      return row.line === 3 ? { ...row, sender: acme } : row;
    });
    expect(await compare(rows, changed)).toEqual({
      ...nobody,
      changed: new Map([
        ["text", 1],
        ["sender", 1],
      ]),
      first: [
        "line 2: the text for +254700000001 is different",
        "line 3: the sender for +254700000002 is ACME, and was the default",
      ],
    });
  });

  it("are the same in another order", async () => {
    expect(await compare(rows, numbered(rows.toReversed()))).toEqual({ ...nobody, reordered: 500, first: [] });
  });

  it("are the same beside a row that is held back and was not planned, and one that was", async () => {
    const [one, two, three] = rows.map((row) => ({ ...row, held: { reason: "opted out" } }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no rows");
    expect(await compare(rows.slice(1), [one, two, ...rows.slice(2)])).toBeUndefined();
    expect((await compare(rows.slice(1, 9), [one, two, ...rows.slice(2, 8)]))?.removed).toBe(1);
  });

  it("may have a number twice", async () => {
    const twice = numbered([...rows.slice(0, 3), ...rows.slice(0, 3)]);
    expect(await compare(twice, twice)).toBeUndefined();
    expect(await compare(twice, twice.slice(1))).toMatchObject({ added: 0, removed: 1, reordered: 0 });
  });

  it("name no more than the first ten of many changes", async () => {
    const changes = await compare(
      rows,
      rows.map((row) => ({ ...row, text: "Ho" })),
    );
    expect(changes).toMatchObject({ ...nobody, changed: new Map([["text", 1_000]]) });
    expect(changes?.first).toHaveLength(10);
  });

  it("differ by as many rows as were added and removed", async () => {
    const kept = fc.array(fc.constantFrom("keep", "keep", "remove", "add"), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(kept, async (steps) => {
        const was: DraftMessage[] = [];
        const is: DraftMessage[] = [];
        for (const [index, row] of drafts(steps.length).entries()) {
          if (steps[index] !== "add") was.push(row);
          if (steps[index] !== "remove") is.push(row);
        }
        const [added, removed] = ["add", "remove"].map((step) => steps.filter((other) => other === step).length);
        const { added: more = 0, removed: fewer = 0 } = (await compare(was, numbered(is))) ?? {};
        expect([more, fewer]).toEqual([added, removed]);
      }),
      { seed, numRuns: 100 },
    );
  });
});
