import { beforeEach, describe, expect, it } from "vitest";
import { sendPath } from "../../src/service/address.ts";
import type { RunHeader } from "../../src/record/header.ts";
import type { JournalEntry } from "../../src/record/journal-entry.ts";
import type { LeftOutRow } from "../../src/record/left-out.ts";
import { Ledger } from "../../src/record/ledger.ts";
import type { DraftMessage, PlanRow } from "../../src/record/plan.ts";
import { MessageSet } from "../../src/record/message-set.ts";
import {
  type OwnRun,
  recordOne,
  type RecordedRun,
  type RepeatQuestion,
  type RunEntry,
  type RunKeeper,
} from "../../src/record/runs.ts";
import { replacing } from "../../src/sending/run/replaced-run.ts";
import { drafts } from "../sending/running.ts";
import { failure, history, receipt } from "./entries.ts";

/** Opens a record as a process with this id does. */
type OpenRecord = (pid?: number) => RunKeeper;

const binding = { baseUrl: "https://sms.example", path: sendPath, credentials: "a", mode: "test" } as const;

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

interface PreparedRun {
  readonly ownRun: OwnRun;
  readonly header: RunHeader;
}

/** Plans a run, which may begin with the header. */
export async function planRun(
  runs: RunKeeper,
  name = "a",
  messages: readonly PlanRow[] = drafts(6),
  parts: Omit<Partial<RunHeader>, "options"> = {},
): Promise<PreparedRun> {
  const ownRun = await runs.open(name);
  const { sample: _, ...plan } = await ownRun.writePlan(messages);
  const header = {
    version: 1,
    name,
    started: "2026-01-01T00:00:00.000Z",
    binding,
    options: {},
    plan,
    ...parts,
  } as const;
  return { ownRun, header };
}

/** Another run has sent these. */
function repeatedBy(indexes: readonly number[], details = "run jan") {
  return { kind: "left-out", reason: "repeated", details, indexes } as const;
}

/** Begins a run, and does not release it. */
export async function beginRun(
  runs: RunKeeper,
  name?: string,
  messages?: readonly DraftMessage[],
  parts?: Partial<RunHeader>,
  repeated: readonly number[] = [],
): Promise<PreparedRun> {
  const { ownRun, header } = await planRun(runs, name, messages, parts);
  await ownRun.begin(header, repeated.length > 0 ? [repeatedBy(repeated)] : []);
  return { ownRun, header };
}

const hours = 60 * 60 * 1000;
const now = Date.now();

async function recordAll(ownRun: OwnRun, entries: readonly RunEntry[], at = now): Promise<void> {
  const writer = await ownRun.openWriter();
  for (const entry of entries) await writer.record(entry, at);
  await writer.close();
}

/** Begins a run, and records these entries. */
async function recordRun(runs: RunKeeper, entries: typeof history, messages = drafts(6)): Promise<OwnRun> {
  const { ownRun } = await beginRun(runs, "a", messages);
  await recordAll(ownRun, entries);
  return ownRun;
}

const live = { binding: { ...binding, mode: "live" } } as const;

/** Begins a run that reaches phones, records these entries at a time, and releases it. */
async function sendRun(
  runs: RunKeeper,
  name: string,
  entries: readonly RunEntry[],
  at = now,
  parts: Partial<RunHeader> = live,
): Promise<void> {
  const { ownRun } = await beginRun(runs, name, drafts(6), parts);
  await recordAll(ownRun, entries, at);
  await ownRun.release();
}

const toAll: readonly RunEntry[] = [
  { kind: "intent", indexes: [0, 1, 2, 3, 4, 5] },
  ...[0, 1, 2, 3, 4, 5].map((index) => ({ kind: "accepted", index, receipt }) as const),
];

/** Asks for these messages, under indexes from 10 on, as a run of another name does. */
async function repeatsOf(runs: RunKeeper, messages = drafts(8), question: Partial<RepeatQuestion> = {}) {
  const messageSet = new MessageSet();
  for (const [index, message] of messages.entries()) messageSet.add(message, index + 10);
  const answer = await runs.repeats({ messageSet, baseUrl: binding.baseUrl, name: "new", now, ...question });
  return { ...answer, indexes: [...answer.indexes.keys()].toSorted((a, b) => a - b) };
}

async function readRun(runs: RunKeeper, name = "a"): Promise<RecordedRun> {
  const run = await runs.read(name);
  if (run === undefined) throw new Error("the run has not begun");
  return run;
}

/** What every keeper of runs does, whatever it keeps them in. `newRecord` makes an empty one. */
export function describeRuns(keeper: string, newRecord: () => OpenRecord): void {
  let runs: OpenRecord;
  const renew = () => void (runs = newRecord());

  describe(`a run in ${keeper}`, () => {
    beforeEach(renew);

    it("has begun with its header, with everybody pending, and not before", async () => {
      const { ownRun, header } = await planRun(runs(), "a", drafts(3));

      expect([await ownRun.read(), await runs().read("a"), await runs().list()]).toEqual([undefined, undefined, []]);
      await ownRun.begin(header);
      const run = await readRun(runs());
      expect(run.header).toEqual(header);
      expect((await run.readLedger()).tally()).toMatchObject({ pending: 3, accepted: 0, due: 3 });
    });

    it("keeps every field of its messages, in order", async () => {
      const second = { line: 3, to: "+254712345679", text: "Hi", segments: 1 };
      const messages: readonly DraftMessage[] = [
        { line: 2, to: "+254712345678", text: "Hi “Ann”,\nyou owe\u2028KES 5 😀", segments: 1 },
        { ...second, sender: { kind: "name", name: "ACME" }, ownSender: true },
        { line: 9, to: "+254712345670", text: "Hi", fields: { due: "5" }, segments: 7 },
      ];
      const ownRun = await runs().open("a");
      const leftOut = { kind: "left-out", line: 4, to: "+254712345671", reason: "optedOut" } as const;
      const plan = await ownRun.writePlan([...messages.slice(0, 2), leftOut, ...messages.slice(2)]);

      expect(plan).toMatchObject({ messages: 3, segments: 9 });
      // Planned again, as by a command that was stopped and is given again.
      await ownRun.release();
      const { readMessages } = await beginRun(runs(), "a", messages).then(() => readRun(runs()));
      expect(await all(readMessages())).toEqual(messages.map((message, index) => ({ ...message, index })));
      expect(await all(readMessages((index) => index === 1))).toEqual([{ ...messages[1], index: 1 }]);
    });

    const rowsOut: readonly LeftOutRow[] = [
      { kind: "left-out", line: 2, to: "+254712345671", reason: "optedOut" },
      { kind: "left-out", line: 4, where: "row 4", to: " 07-x\u2028", reason: "invalid", details: "no “number”" },
      { kind: "left-out", line: 7, to: "+254712345671", reason: "duplicate", details: "already on line 2" },
      { kind: "left-out", line: -1, to: "+254712345672", reason: "excluded", details: "in a", fields: { Due: "=1" } },
    ];
    const countsOut = { optedOut: 1, invalid: 1, duplicate: 1, excluded: 1 };

    it("keeps each row that is left out as it came, and behind these who is left out later, each with the reason", async () => {
      const ownRun = await runs().open("a");
      const rows = [...rowsOut.slice(0, 1), ...drafts(5), ...rowsOut.slice(1)];
      const { sample: _, leftOutSample, ...plan } = await ownRun.writePlan(rows);
      expect([leftOutSample.counts, plan.messages, await all(ownRun.readLeftOut())]).toEqual([countsOut, 5, rowsOut]);
      const started = "2026-01-01T00:00:00.000Z";
      await ownRun.begin({ version: 1, name: "a", started, binding, options: {}, plan }, [
        repeatedBy([3]),
        repeatedBy([4], "run b"),
      ]);
      const optedOut = { kind: "left-out", reason: "optedOut", indexes: [0, 1] } as const;
      await recordAll(ownRun, [{ kind: "intent", indexes: [0] }, optedOut]);

      const run = await readRun(runs(4711));
      const ledger = await run.readLedger();
      expect(ledger.tally()).toMatchObject({
        uncertain: 1,
        pending: 1,
        due: 1,
        leftOut: { ...countsOut, optedOut: 2, repeated: 2 },
      });
      const later = [
        { line: 2, index: 1, reason: "optedOut", details: undefined },
        { line: 4, index: 3, reason: "repeated", details: "run jan" },
        { line: 5, index: 4, reason: "repeated", details: "run b" },
      ];
      expect(await all(run.readLeftOut())).toMatchObject([...rowsOut, ...later]);
      // What may have been sent stays in doubt.
      expect((await all(run.readResults())).map(({ message, outcome }) => `${message.index} ${outcome?.kind}`)).toEqual(
        ["0 uncertain", "2 undefined"],
      );
    });

    it("keeps only the rows of its last plan, and none if it never began", async () => {
      await (await runs().open("a")).writePlan([...rowsOut, ...drafts(2)]);
      const [, second = rowsOut[0]] = rowsOut;
      const ownRun = await runs().open("b");
      await ownRun.writePlan(rowsOut);
      await ownRun.writePlan(second ? [second] : []);
      expect(await all(ownRun.readLeftOut())).toEqual([second]);
      await ownRun.release();
      expect(await runs().list()).toEqual([]);
      expect(await all((await runs().open("b")).readLeftOut()).catch(() => [])).toEqual([]);
    });

    it("that never began leaves nothing, and passes on what goes wrong with its input", async () => {
      const ownRun = await runs().open("a");
      async function* broken() {
        yield* drafts(2);
        throw new Error("line 3 is broken");
      }

      await expect(ownRun.writePlan(broken())).rejects.toThrow("line 3 is broken");
      await ownRun.release();
      expect(await runs().list()).toEqual([]);
      await expect(runs().remove("a", async () => {})).rejects.toMatchObject({ errorCode: "UNKNOWN_RUN" });
    });

    it("is replaced only when the next begins, and never by a third that was planned meanwhile", async () => {
      const { ownRun, header: old } = await beginRun(runs(), "a", drafts(2));
      await ownRun.release();
      const replacer = replacing(runs(), old, async () => {});
      const rows = [...drafts(3), ...rowsOut.slice(0, 1)];
      const next = await planRun(replacer, "a", rows, { started: "2026-01-02T00:00:00.000Z" });
      const third = await planRun(replacer, "a", drafts(4));
      const planned = await readRun(runs());

      await next.ownRun.begin(next.header);
      await next.ownRun.release();

      expect(planned.header).toEqual(old);
      await expect(third.ownRun.begin(third.header)).rejects.toMatchObject({ errorCode: "RUN_CHANGED" });
      expect((await readRun(runs())).header).toEqual(next.header);
      const tally = { pending: 3, leftOut: { optedOut: 1 } };
      expect((await (await readRun(runs())).readLedger()).tally()).toMatchObject(tally);
    });

    it("takes no name that another begins with once the old run is removed", async () => {
      const { ownRun, header: old } = await beginRun(runs(), "a", drafts(2));
      await ownRun.release();
      const beginAnother = () => sendRun(runs(), "a", [{ kind: "intent", indexes: [0] }]);
      const { remove: removeOld } = runs();
      const remove: RunKeeper["remove"] = (...args) => removeOld(...args).then(beginAnother);
      const replacer = replacing({ ...runs(), remove }, old, async () => {});
      const next = await planRun(replacer, "a", drafts(3));

      await expect(next.ownRun.begin(next.header)).rejects.toMatchObject({ errorCode: "RUN_CHANGED" });
      await next.ownRun.release();

      expect((await (await readRun(runs())).readLedger()).tally()).toMatchObject({ uncertain: 1, pending: 5 });
    });

    it("has one owner, who is named, and by the next once it is released", async () => {
      const { ownRun } = await beginRun(runs());
      const refusal = { errorCode: "RUN_BUSY", message: expect.stringContaining(`process ${process.pid} on `) };

      await expect(runs(4711).open("a")).rejects.toMatchObject(refusal);
      await expect(runs(4711).remove("a", async () => {})).rejects.toMatchObject(refusal);
      await expect(runs(4711).unlock("a", async () => {})).rejects.toMatchObject(refusal);
      expect(await runs(4711).owner("a")).toMatchObject({ isSure: true });
      await ownRun.release();
      expect(await runs(4711).owner("a")).toBeUndefined();
      await expect(runs(4711).unlock("a", async () => {})).rejects.toMatchObject({ errorCode: "NOT_LOCKED" });
      await (await runs(4711).open("a")).release();
    });

    it("is read as it was recorded, by whoever opens it, after each entry", async () => {
      const { ownRun } = await beginRun(runs());
      const model = new Ledger(new Uint8Array(6).fill(1));
      for (const [at, entry] of history.entries()) {
        // A process that was killed between two entries opens it anew.
        const writer = await ownRun.openWriter();
        await writer.record(entry, at);
        model.apply(entry);
        const run = await readRun(runs(4711));
        const ledger = await run.readLedger();
        expect(ledger.tally()).toEqual(model.tally());
        expect(ledger.exposure).toBe(model.exposure);
        const { accepted, rejected, unsent, uncertain, pending } = model.tally();
        const counts = { accepted, rejected, unsent, uncertain, pending };
        expect((await run.readTimes()).ledger.tally()).toMatchObject(counts);
        await writer.close();
      }
      const entries: JournalEntry[] = [];
      await (await readRun(runs())).readEntries((entry) => entries.push(entry));

      expect(entries.filter(({ kind }) => kind !== "time")).toEqual(history);
      expect(entries.filter(({ kind }) => kind === "time")).toEqual(history.map((_, at) => ({ kind: "time", at })));
    });

    it("says what became of each message: of the last try, and in doubt without an outcome", async () => {
      await recordRun(runs(), [...history, { kind: "intent", indexes: [5] }]);
      const results = await all((await readRun(runs())).readResults());

      const words = results.map(({ outcome }) => outcome?.kind ?? "none");
      expect(words).toEqual(["rejected", "accepted", "accepted", "uncertain", "none", "uncertain"]);
      expect(results[2]).toMatchObject({ message: { index: 2 }, outcome: { receipt: { messageId: "msg_2" } } });
      expect(results[5]).toMatchObject({ outcome: { failure: { errorCode: "NO_ANSWER" } } });
    });

    it("has no result of a message that was left out after it, or was cut off in a later try", async () => {
      const rejected = (index: number) => ({ kind: "rejected", index, failure }) as const;
      const tries = [{ kind: "intent", indexes: [0, 4, 5] } as const, rejected(4), rejected(5)];
      const cutOff = { kind: "intent", indexes: [4] } as const;
      await recordRun(runs(), [...history, ...tries, cutOff, repeatedBy([0, 4, 5])]);
      const results = await all((await readRun(runs())).readResults());

      const words = results.map(({ message, outcome }) => `${message.index} ${outcome?.kind}`);
      expect(words).toEqual(["0 uncertain", "1 accepted", "2 accepted", "3 uncertain", "4 uncertain"]);
    });

    it("finds results in whatever order they came", async () => {
      const count = 40;
      // Far enough apart that they are not read at once.
      const id = (index: number) => `${"m".repeat(20_000)}${index}`;
      const order = Array.from({ length: count }, (_, index) => (index * 7) % count);
      const results = order.map((index) => ({ kind: "accepted", index, receipt: { messageId: id(index) } }) as const);
      await recordRun(runs(), [{ kind: "intent", indexes: order }, ...results], drafts(count));
      const read = await all((await readRun(runs())).readResults());

      expect(read.map(({ outcome }) => outcome?.kind === "accepted" && outcome.receipt.messageId)).toEqual(
        Array.from({ length: count }, (_, index) => id(index)),
      );
    });

    it("is closed for good, with its results: nothing is due, and no intent can follow", async () => {
      const ownRun = await recordRun(runs(), history);
      await recordOne(ownRun, { kind: "closed" }, 9);
      await ownRun.release();
      const run = await readRun(runs(4711));

      expect((await run.readLedger()).tally()).toMatchObject({
        isClosed: true,
        due: 0,
        accepted: 2,
        pending: 0,
        unsent: 2,
      });
      const again = await (await runs(4711).open("a")).openWriter();
      await again.record({ kind: "intent", indexes: [4] }, 10);
      await expect(run.readLedger()).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
    });

    it.each(["", ".", "a/b", "a b", "é", "A".repeat(65), "con", "a.", "sk_test_a"])("may not be %j", async (name) => {
      const refusal = { errorCode: "INVALID_RUN_NAME" };
      await expect(runs().read(name)).rejects.toMatchObject(refusal);
      await expect(runs().open(name)).rejects.toMatchObject(refusal);
    });
  });

  describe(`what other runs in ${keeper} have sent`, () => {
    beforeEach(renew);

    it("is what was accepted or may have been sent, by number and text", async () => {
      const intent: RunEntry = { kind: "intent", indexes: [4] };
      await sendRun(runs(), "first", [...history, intent], now - 11 * hours);

      expect(await repeatsOf(runs())).toMatchObject({
        indexes: [11, 12, 13, 14],
        runs: [{ name: "first", lastAt: now - 11 * hours, isUnderWay: false, due: 1 }],
      });
      // Another sender or line makes no difference; another text does.
      const sender = { kind: "name", name: "ACME" } as const;
      const others = (change: Partial<DraftMessage>) => drafts(2).map((message) => ({ ...message, ...change }));
      expect((await repeatsOf(runs(), others({ line: 7, sender }))).indexes).toEqual([11]);
      expect((await repeatsOf(runs(), others({ text: "Hi!" }))).indexes).toEqual([]);
    });

    it("is each of several messages of one number and text", async () => {
      await sendRun(runs(), "first", toAll, now);
      expect((await repeatsOf(runs(), [...drafts(1), ...drafts(1)])).indexes).toEqual([10, 11]);
    });

    it.each([
      ["12 hours ago", now - 12 * hours, []],
      ["a moment less", now - 12 * hours + 1, [10]],
      ["in a future that another clock had", now + 100 * hours, [10]],
    ])("counts by the time of the outcome: %s", async (_, at, indexes) => {
      await sendRun(runs(), "first", toAll, at);
      expect((await repeatsOf(runs(), drafts(1))).indexes).toEqual(indexes);
    });

    it.each<[string, Partial<RunHeader>, Partial<RepeatQuestion>]>([
      ["by a test key", { binding }, {}],
      ["in a sandbox", { ...live, isSandbox: true }, {}],
      ["to another base URL", live, { baseUrl: "https://other.example" }],
      ["by the run that asks", live, { name: "first" }],
      ["and 12 hours ago recorded last", live, { now: Date.now() + 13 * hours }],
    ])("leaves out what was sent %s", async (_, parts, question) => {
      await sendRun(runs(), "first", toAll, now, parts);
      expect(await repeatsOf(runs(), drafts(8), question)).toEqual({ indexes: [], runs: [] });
    });

    it("is said by run, the latest first, and once for each message", async () => {
      await sendRun(runs(), "first", toAll, now - 2 * hours);
      await sendRun(runs(), "second", toAll.slice(0, 3), now - hours, { ...live, isRehearsal: true });
      const { indexes, runs: others } = await repeatsOf(runs());

      expect(indexes).toEqual([10, 11, 12, 13, 14, 15]);
      expect(others.map(({ name, lastAt }) => [name, lastAt])).toEqual([
        ["second", now - hours],
        ["first", now - 2 * hours],
      ]);
    });

    it("is also what a run under way may send at any moment", async () => {
      const { ownRun } = await beginRun(runs(), "first", drafts(6), live, [5]);

      expect(await repeatsOf(runs(4711))).toMatchObject({
        indexes: [10, 11, 12, 13, 14],
        runs: [{ name: "first", lastAt: undefined, isUnderWay: true, due: 5 }],
      });
      // The run may have waited for hours.
      expect((await repeatsOf(runs(4711), undefined, { now: Date.now() + 13 * hours })).indexes).toHaveLength(5);
      await recordAll(ownRun, [...history, { kind: "intent", indexes: [4] }], now - 13 * hours);
      // The request for 4 is on its way; with --retry, 0, which was rejected, and 3, which is in doubt, are sent again.
      expect((await repeatsOf(runs(4711))).indexes).toEqual([10, 13, 14]);
      await ownRun.release();
      expect((await repeatsOf(runs(4711))).indexes).toEqual([]);
    });

    it("leaves a message out for good in the run that asked first, so that the other sends it", async () => {
      const first = await beginRun(runs(), "first", drafts(6), live);
      await beginRun(runs(4711), "second", drafts(6), live);
      const { indexes } = await repeatsOf(runs(), drafts(6), { name: "first" });
      const own = indexes.map((index) => index - 10);
      await recordOne(first.ownRun, repeatedBy(own.slice(1)), now);

      expect((await repeatsOf(runs(4711), drafts(6), { name: "second" })).indexes).toEqual([10]);
      const ledger = await (await readRun(runs(), "first")).readLedger();
      expect(ledger.tally()).toMatchObject({ pending: 1, due: 1, leftOut: { repeated: 5 } });
      expect(own.map((index) => ledger.isLeftOut(index))).toEqual([false, true, true, true, true, true]);
      await recordOne(first.ownRun, { kind: "intent", indexes: [1] }, now);
      await expect((await readRun(runs(), "first")).readLedger()).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
    });

    it("is left out from the beginning, and read again before it", async () => {
      const { ownRun, header } = await planRun(runs(), "first", drafts(6), live);

      expect((await all(ownRun.readPlan((index) => index > 3))).map(({ index }) => index)).toEqual([4, 5]);
      await ownRun.begin(header, [repeatedBy([0, 2])]);
      await recordOne(ownRun, { kind: "intent", indexes: [1] }, now);
      const ledger = await (await readRun(runs(), "first")).readLedger();
      expect(ledger.tally()).toMatchObject({ pending: 3, uncertain: 1, due: 3, leftOut: { repeated: 2 } });
    });

    it("stops nobody but one of two equal commands", async () => {
      const starts = await Promise.all(
        [1, 2, 3].map((pid) =>
          runs(pid).alone(async () => {
            if ((await repeatsOf(runs(pid), drafts(6), { name: `run-${pid}` })).indexes.length > 0) return [];
            await beginRun(runs(pid), `run-${pid}`, drafts(6), live);
            return [pid];
          }),
        ),
      );

      expect(starts.flat()).toHaveLength(1);
    });
  });

  describe(`the runs in ${keeper}`, () => {
    beforeEach(renew);

    it("are listed without what never began", async () => {
      const { header } = await beginRun(runs(), "first");
      await runs().open("second");
      expect(await runs().list()).toMatchObject([{ kind: "run", run: { header } }]);
    });

    it("are removed whole once that is confirmed, and are locked meanwhile", async () => {
      await (await beginRun(runs(), "a")).ownRun.release();
      await (await beginRun(runs(), "b")).ownRun.release();

      await expect(runs().remove("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
      await runs().remove("a", async () => {
        await expect(runs(4711).open("a")).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
      });
      expect(await runs().read("a")).toBeUndefined();
      await expect(runs().remove("a", async () => {})).rejects.toMatchObject({ errorCode: "UNKNOWN_RUN" });
      expect(await runs().list()).toMatchObject([{ run: { header: { name: "b" } } }]);
    });
  });
}
