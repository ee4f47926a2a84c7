import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSegments } from "../../src/message/segments.ts";
import type { DraftMessage, PlanRow } from "../../src/record/plan.ts";
import { rehearsalOf } from "../../src/sending/run/rehearsal.ts";
import { texts } from "../message/texts.ts";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, lines, run, send } = withRuns();

const staff = "+254700000000";

function rows(count = 5): readonly string[] {
  const all = numbers(count).map((to, index) => `${to},Name${index}`);
  return ["-r", file("list.csv", ["to,name", ...all].join("\n")), "-m", "Hi {{name}}"];
}

const redirect = ["--redirect-to", staff];

describe("--redirect-to", () => {
  it("sends the first few to one number, and does not begin the run", async () => {
    const { code, recipients, summary } = await lines(["send", ...rows(), ...redirect, "--run", "topup"]);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ run: "topup-rehearsal", recipients: 3, accepted: 3 });
    expect(recipients).toMatchObject([2, 3, 4].map((line) => ({ line, to: staff })));
    expect(accepted()).toEqual([0, 1, 2].map((index) => [staff, `[for …00${index}] Hi Name${index}`]));
    const { value: list } = await json(["runs", "list"]);
    expect(list.map((one: { run: string }) => one.run)).toEqual(["topup-rehearsal"]);
    expect((await send([...rows(), "--run", "topup"])).code).toBe(0);
    expect(accepted().filter(([to]) => to !== staff)).toHaveLength(5);
  });

  it("replaces the rehearsal before, and confuses no run of the same messages", async () => {
    for (const count of [1, 2]) expect((await send([...rows(count), ...redirect])).code).toBe(0);
    const { value: list } = await json(["runs", "list"]);
    expect(list).toMatchObject([{ run: "rehearsal", recipients: 2 }]);
    expect((await send(rows())).code).toBe(0);
  });

  it("says in the plan who receives what", async () => {
    const long = [...rows().slice(0, 3), `{{name}} ${"a".repeat(70)}`];
    const guards = [`--redirect-to: 3 of 5 messages to ${staff} instead`];
    const value = { run: "rehearsal", recipients: 3, segments: 6, guards };
    expect(await json(["send", ...long, ...redirect, "--dry-run"])).toMatchObject({ code: 0, value });
    expect(accepted()).toEqual([]);
    expect((await run(["runs", "list", "--json"])).stdout).toBe("[]\n");
  });

  it("checks every row, as the run would", async () => {
    const list = file("bad.csv", `to\n${numbers(4).join("\n")}\n0712\n`);
    expect((await run(["send", "-r", list, "-m", "Hi", ...redirect])).code).toBe(2);
    expect(accepted()).toEqual([]);
  });

  it("applies --only-to to the number that receives alone", async () => {
    const own = file("own.txt", staff);
    expect((await send([...rows(), ...redirect, "--only-to", own])).code).toBe(0);
    const environment = { SMS_ONLY_TO: staff };
    expect((await send([...rows(), ...redirect, "--only-to", own, "-n"], { environment })).code).toBe(0);
    const others = file("others.txt", numbers(5).join("\n"));
    expect((await send([...rows(), ...redirect, "--only-to", others])).code).toBe(2);
    expect(accepted()).toHaveLength(3);
  });

  it("never replaces a run that is not a rehearsal", async () => {
    expect((await send([...rows(2), "--run", "topup-rehearsal"])).code).toBe(0);
    const stderr = expect.stringContaining("the run topup-rehearsal is not a rehearsal");
    expect(await send([...rows(2), ...redirect, "--run", "topup"])).toMatchObject({ code: 2, stderr });
  });

  it("rehearses a single message too", async () => {
    const { code, summary } = await lines(["send", "--to", "+254712345678", "-m", "Hi", ...redirect]);
    expect({ code, summary }).toMatchObject({ code: 0, summary: { run: "rehearsal", accepted: 1 } });
    expect(accepted()).toEqual([[staff, "[for …678] Hi"]]);
  });
});

function draftOf(line: number, text = "Hi"): DraftMessage {
  return { line, to: `+25471234567${line}`, text, segments: countSegments(text).segments };
}

async function rehearse(listed: Iterable<PlanRow>, gsm7 = false) {
  const rehearsal = await rehearsalOf({ redirectTo: staff, ...(gsm7 && { gsm7 }) }, undefined, []);
  const sent = (await rehearsal?.redirect(iterate(listed))) ?? [];
  return { sent, text: rehearsal?.text(), counts: rehearsal?.leftOutSample.counts };
}

async function* iterate<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  yield* items;
}

describe("the texts of a rehearsal", () => {
  it("writes the name of the recipient in GSM-7 if that is asked for", async () => {
    const { sent } = await rehearse([draftOf(1)], true);
    expect(sent).toMatchObject([{ text: "[for ...671] Hi" }]);
  });

  const leftOut = { kind: "left-out", to: "+254712345671", reason: "optedOut" } as const;

  it("leaves out whom the run itself would not text", async () => {
    const { sent, text, counts } = await rehearse([{ ...leftOut, line: 1 }, draftOf(2)]);
    expect(sent).toMatchObject([{ line: 2 }]);
    expect({ text, counts }).toEqual({
      text: `--redirect-to: 1 of 1 message to ${staff} instead`,
      counts: { optedOut: 1 },
    });
  });

  it("never keeps a real recipient, and counts each text anew", async () => {
    const drafts = fc.array(texts.filter((text) => text.trim() !== "" && text.length < 1000 && !text.includes("\0")));
    await fc.assert(
      fc.asyncProperty(drafts, fc.boolean(), async (all, gsm7) => {
        const { sent } = await rehearse(
          all.filter((text) => text.isWellFormed()).map((text, index) => draftOf((index % 9) + 1, text)),
          gsm7,
        );
        expect(sent.length).toBeLessThanOrEqual(3);
        for (const { to, text, segments } of sent) {
          expect(to).toBe(staff);
          expect(segments).toBe(countSegments(text).segments);
        }
      }),
      { numRuns: 50 },
    );
  });
});
