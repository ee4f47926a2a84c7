import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRunEntries } from "../../src/record/run-history.ts";
import { encodeEntry, type JournalEntry } from "../../src/record/journal-entry.ts";
import { folderRuns } from "../../src/record/folder/runs-folder.ts";
import { openJournal } from "../../src/record/folder/journal.ts";
import { type RunFiles, runFiles } from "../../src/record/folder/run-files.ts";
import { MessageSet } from "../../src/record/message-set.ts";
import { recordOne } from "../../src/record/runs.ts";
import { listRuns } from "../../src/reports/run.ts";
import { machine, ours } from "../files/this-process.ts";
import { begunRun, drafts } from "../sending/running.ts";
import { failure, history, receipt } from "./entries.ts";
import { describeRuns, planRun } from "./runs-suite.ts";
import { temporaryFolder } from "../support/folders.ts";

const newState = () => ours(join(temporaryFolder(), "state"));

describeRuns("a folder", () => {
  const state = newState();
  return (pid = process.pid) => folderRuns(state, { ...machine, processes: { pid, exists: () => true } });
});

const whole = history.map(encodeEntry).join("");
const damage = { errorCode: "RUN_DAMAGED" };

/** Begins a run of six messages and writes these entries after the first line of its journal. */
async function runWith(journal: string | Uint8Array) {
  const run = await begunRun(drafts(6));
  appendFileSync(run.journal, journal);
  return run;
}

async function read({ runs }: Awaited<ReturnType<typeof begunRun>>) {
  const run = await runs.read("test");
  if (run === undefined) throw new Error("the run has not begun");
  return run;
}

const rewrite = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, "utf8")));
const leftOutLine = '{"leftOut":"optedOut","line":9,"to":"+254712345678"}\n';
const planLine = { line: 1, message: { to: "+254712345678", message: "Hi" }, segments: 1 };

describe("the folder of a run", () => {
  it.each<[string, object]>([
    ["another version", { version: 2 }],
    ["no name", { name: undefined }],
    ["a binding without a mode", { binding: { baseUrl: "", path: "", credentials: "" } }],
    ["no plan", { plan: null }],
    ["a plan without digests", { plan: { messages: 3, segments: 3, digests: [] } }],
  ])("is damaged with %s in its header", async (_, change) => {
    const run = await begunRun(drafts(3));
    rewrite(run.header, (header) => JSON.stringify({ ...JSON.parse(header), ...change }));

    await expect(run.runs.read("test")).rejects.toMatchObject(damage);
    expect(await listRuns(run.runs, 1)).toMatchObject({ runs: [], damaged: [{ name: "test" }] });
    // What was sent of it is known nowhere else.
    await (await run.runs.open("test")).release();
    expect(readdirSync(run.folder)).toHaveLength(3);
  });

  it.each<[string, (files: RunFiles) => void]>([
    ["a plan that is cut", ({ plan }) => rewrite(plan, (text) => text.slice(0, -5))],
    ["a plan with another number", ({ plan }) => rewrite(plan, (text) => text.replace("001", "009"))],
    ["a row more", ({ plan }) => rewrite(plan, (text) => `${text}${text.split("\n")[0]}\n`)],
    ["a row more that is left out", ({ plan }) => appendFileSync(plan, leftOutLine)],
  ])("is damaged with %s", async (_, change) => {
    const run = await begunRun(drafts(3));
    change(run);
    await expect((await read(run)).readLedger()).rejects.toMatchObject(damage);
  });

  it.each([
    ["no object", null],
    ["a text for its line", { ...planLine, line: "1" }],
    ["no text", { ...planLine, message: { to: "+254712345678" } }],
    ["half a segment", { ...planLine, segments: 1.5 }],
    ["a field that is no text", { ...planLine, fields: { a: 5 } }],
    ["a sender of no form", { ...planLine, message: { ...planLine.message, senderId: "ACME" } }],
  ])("is damaged by a line of the plan with %s", async (_, line) => {
    const run = await begunRun(drafts(1));
    writeFileSync(run.plan, `${JSON.stringify(line)}\n`);
    await expect((await read(run)).readMessages().next()).rejects.toMatchObject(damage);
  });

  it("has an attempt that a kill cut off in the history, and the next attempt as well", async () => {
    const intent: JournalEntry = { kind: "intent", indexes: [0] };
    const at = (minute: number) => ({ kind: "time", at: Date.UTC(2026, 0, 2, 8, minute) }) as const;
    const others: readonly JournalEntry[] = [at(9), { kind: "intent", indexes: [1, 2] }, at(50)];
    const accepted = (index: number) => ({ kind: "accepted", index, receipt }) as const;
    const doubtful = (kind: "no-answer" | "unreachable"): readonly JournalEntry[] => [
      { kind: "intent", indexes: [3] },
      { kind: "uncertain", index: 3, failure: { ...failure, kind } },
    ];
    // The clock is set back, and a second try that is provably not sent leaves the first one in doubt.
    const doubt = [at(3), ...doubtful("no-answer"), at(7), ...doubtful("unreachable")];
    const entries = [at(1), intent, at(5), intent, at(6), accepted(0), ...doubt, ...others, accepted(2)];
    const run = await runWith(entries.map(encodeEntry).join(""));
    const outcomes: string[] = [];

    await readRunEntries(await read(run), (entry) => outcomes.push(`${entry.at.slice(11, 16)} ${entry.outcome}`));

    // What a kill cut off was at the time of its intent.
    const tries = "08:01 uncertain, 08:06 accepted, 08:06 uncertain, 08:50 accepted, 08:09 uncertain";
    expect(outcomes.join(", ")).toBe(tries);
  });

  it("is left by a removal that was killed, and goes with the next", async () => {
    const run = await begunRun(drafts(1));
    mkdirSync(`${run.folder}~0123456789abcdef`);
    await run.runs.remove("test", async () => {});
    expect(readdirSync(join(run.folder, ".."))).toEqual([]);
  });
});

it("a run that was killed before it began with others left out is not damaged", async () => {
  const { runs, header, journal } = await begunRun(drafts(3));
  rmSync(header);
  appendFileSync(journal, '["left-out","repeated","run j');
  const messageSet = new MessageSet();
  messageSet.add({ to: "+254700000000", text: "Hi" }, 0);
  const question = { messageSet, baseUrl: "http://127.0.0.1", name: "new", now: Date.now() };
  expect((await runs.repeats(question)).runs).toEqual([]);
});

describe("a run that is unlocked before it begins", () => {
  const loss = { errorCode: "NOT_RECORDABLE", kind: "usage" };

  it.each([
    ["leaves the plan of the next owner to it", false, { pending: 2, uncertain: 1 }],
    ["keeps what the next owner has recorded of it", true, { pending: 0, uncertain: 3 }],
  ])("%s", async (_, hasBegun, tally) => {
    const state = newState();
    const runs = folderRuns(state, machine);
    const first = await planRun(runs, "a", drafts(3));
    rmSync(runFiles(state, "a").lock);
    const next = await planRun(runs, "a", drafts(3));
    if (hasBegun) {
      await next.ownRun.begin(next.header);
      await recordOne(next.ownRun, { kind: "intent", indexes: [0, 1] }, 1);
    }

    await expect(first.ownRun.begin(first.header)).rejects.toMatchObject(loss);
    await expect(first.ownRun.writePlan(drafts(2))).rejects.toMatchObject(loss);
    await first.ownRun.release();

    if (!hasBegun) await next.ownRun.begin(next.header);
    await recordOne(next.ownRun, { kind: "intent", indexes: [2] }, 2);
    expect((await (await runs.read("a"))?.readLedger())?.tally()).toMatchObject(tally);
  });
});

describe("the journal of a run", () => {
  it("cut at any byte counts the whole lines before the cut, and goes on after them", async () => {
    const bytes = Buffer.from(whole);
    const run = await runWith("");
    const start = readFileSync(run.journal);
    const tallyOf = async () => (await (await read(run)).readLedger()).tally();
    for (let cut = 0; cut <= bytes.length; cut += 7) {
      const lines = bytes.toString("latin1", 0, cut).split("\n").length - 1;
      writeFileSync(run.journal, Buffer.concat([start, bytes.subarray(0, cut)]));
      const before = await tallyOf();
      const entries = history.slice(0, lines).map(encodeEntry).join("");
      const journal = openJournal(run.journal, () => true);
      await journal.record({ kind: "intent", indexes: [5] }, 1);
      await journal.close();
      expect(readFileSync(run.journal, "utf8")).toBe(`${start.toString()}${entries}["time",1]\n["intent",5]\n`);
      expect((await tallyOf()).uncertain).toBe(before.uncertain + 1);
      // What an intent in the file may have sent is never lost.
      expect(before.pending).toBeLessThanOrEqual(lines === 0 ? 6 : 3);
    }
  });

  it.each([
    ["a broken line in the middle", whole.replace('["accepted",1', '["acc'), 3],
    ["a broken line at the end", `${whole}["intent",`.concat("\n"), 11],
    ["zeros in the middle", whole.replace('["intent",3,4]', "\0".repeat(14)), 5],
    ["a line that is missing", whole.replace('["intent",3,4]\n', ""), 6],
    ["a message that is not in the plan", '["intent",6]\n', 2],
    ["an intent for what was accepted", `${whole}["intent",1]\n`, 11],
    ["a result without an intent", '["accepted",0,{"messageId":"m"}]\n', 2],
    ["a result that comes twice", `${whole}["accepted",2,{"messageId":"m"}]\n`, 11],
  ])("is refused for %s", async (_, text, line) => {
    const refusal = { ...damage, message: expect.stringContaining(`line ${line} `) };
    const run = await read(await runWith(text));
    await expect(run.readLedger()).rejects.toMatchObject(refusal);
    await expect(run.readEntries(() => {})).rejects.toMatchObject(refusal);
  });

  it("is not opened, and no more is recorded, once the run is no longer ours", async () => {
    const run = await begunRun(drafts(3));
    const ownRun = await run.runs.open("test");
    const writer = await ownRun.openWriter();
    await writer.record({ kind: "intent", indexes: [0] }, 1);
    rmSync(run.lock);
    const loss = { errorCode: "RUN_NOT_RECORDED", message: expect.stringContaining("unlocked meanwhile") };

    await expect(writer.record({ kind: "intent", indexes: [1] }, 2)).rejects.toMatchObject(loss);
    await expect(ownRun.openWriter()).rejects.toMatchObject(loss);
  });
});
