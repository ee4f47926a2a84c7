import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftMessage } from "../../src/record/plan.ts";
import { comparePlan } from "../../src/sending/planning.ts";
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
  it.each<[string, readonly (DraftMessage | undefined)[], string, string]>([
    [
      "a row more",
      [...rows.slice(0, 3), extra, ...rows.slice(3)],
      "from line 4 on",
      "line 4: +254700001000 is in the place of +254700000003",
    ],
    ["a row more at the end", [...rows, extra], "from line 1001 on", "line 1001: +254700001000 is new"],
    [
      "rows less",
      [...rows.slice(0, 3), ...rows.slice(5)],
      "from line 4 on",
      "line 4: +254700000005 is in the place of +254700000003",
    ],
    ["rows less at the end", rows.slice(0, 998), "at the end", "+254700000998, which was line 999, is missing now"],
    ["another order", rows.toReversed(), "from line 1 on", "line 1: +254700000999 is in the place of +254700000000"],
  ])("have %s", async (_, is, where, first) => {
    const found = is.flatMap((row) => row ?? []);
    expect(await compare(rows, numbered(found))).toEqual({ words: [`other recipients ${where}`], first: [first] });
  });

  it.each([true, false])("name numbers of --to by their place (beside a file: %j)", async (hasFile) => {
    const [one, two] = drafts(2).map((row, index) => ({ ...row, line: hasFile ? -1 - index : 1 + index }));
    if (one === undefined || two === undefined) throw new Error("no rows");
    const changes = await compare([one], [{ ...one, text: "Ho" }, two], hasFile);
    expect(changes).toEqual({
      words: ["1 with another text", "other recipients from --to 2 on"],
      first: [`--to 1: the text for ${one.to} is different`, `--to 2: ${two.to} is new`],
    });
  });

  it("have another text and another sender", async () => {
    const changed = rows.map((row) => {
      if (row.line === 2) return { ...row, text: "Ho" };
      return row.line === 3 ? { ...row, sender: acme } : row;
    });
    expect(await compare(rows, changed)).toEqual({
      words: ["1 with another text", "1 with another sender"],
      first: [
        "line 2: the text for +254700000001 is different",
        "line 3: the sender for +254700000002 is ACME, and was the default",
      ],
    });
  });

  it("are the same beside a row that is held back and was not planned, and one that was", async () => {
    const [one, two, three] = rows.map((row) => ({ ...row, held: { reason: "opted out" } }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no rows");
    expect(await compare(rows.slice(1), [one, two, ...rows.slice(2)])).toBeUndefined();
    expect(await compare(rows.slice(1, 9), [one, two, ...rows.slice(2, 8)])).toMatchObject({
      words: ["other recipients at the end"],
    });
  });

  it("may have a number twice", async () => {
    const twice = numbered([...rows.slice(0, 3), ...rows.slice(0, 3)]);
    expect(await compare(twice, twice)).toBeUndefined();
    expect(await compare(twice, twice.slice(1))).toBeDefined();
  });

  it("name no more than the first three of many changes", async () => {
    const changes = await compare(
      rows,
      rows.map((row) => ({ ...row, text: "Ho" })),
    );
    expect(changes?.words).toEqual(["1,000 with another text"]);
    expect(changes?.first).toHaveLength(3);
  });

  it("are the same if and only if none was added, removed or changed", async () => {
    const kept = fc.array(fc.constantFrom("keep", "keep", "keep", "hold", "remove", "add", "change"), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(kept, async (steps) => {
        const was: DraftMessage[] = [];
        const is: DraftMessage[] = [];
        for (const [index, row] of drafts(steps.length).entries()) {
          const step = steps[index];
          if (step !== "add" && step !== "hold") was.push(row);
          if (step === "hold") is.push({ ...row, held: { reason: "opted out" } });
          else if (step !== "remove") is.push(step === "change" ? { ...row, text: "Ho" } : row);
        }
        const isSame = steps.every((step) => step === "keep" || step === "hold");
        expect((await compare(was, numbered(is))) === undefined).toBe(isSame);
      }),
      { seed, numRuns: 200 },
    );
  });
});
