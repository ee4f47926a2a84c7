import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Cost, type Entry, type HistoryKeeper, nothingUnread } from "../../../src/record/history.ts";
import type { StoredReceipt } from "../../../src/record/journal-entry.ts";
import type { OpenRun, RunEntry } from "../../../src/record/runs.ts";
import { divisions, readSpend, type Spend } from "../../../src/reports/spend.ts";
import { drafts } from "../../sending/running.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { drawing, seed } from "../../support/seed.ts";
import { failure } from "../entries.ts";
import { openAt } from "../place.ts";
import { beginRun } from "../runs-suite.ts";
import { entryAt } from "../terms.ts";

const draw = drawing(seed);
const hour = 60 * 60 * 1000;
const january = { from: Date.UTC(2026, 0), to: Date.UTC(2026, 1) };
const february = { from: january.to, to: Date.UTC(2026, 2) };
/** Runs begin on the last day of January and end in February. */
const start = january.to - 12 * hour;

/** A time that a file can have, in seconds. */
const time = february.to / 1000;

let place: string;

beforeEach(() => {
  place = temporaryFolder();
});

const sumsPath = () => join(place, "runs", "~sums.ndjson");
const journalOf = (name: string) => join(place, "runs", name, "journal.ndjson");
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").filter(Boolean);
const runsHere = () => openAt(place).runs();
const historyHere = () => openAt(place).history();

function anyOf<Value>(...values: readonly [Value, ...Value[]]): Value {
  return values[draw(values.length)] ?? values[0];
}

/** Tries messages of a run, a while apart, with outcomes of any kind, and releases the run. */
async function attempt(run: OpenRun, indexes: readonly number[], from = start): Promise<void> {
  let now = from;
  const writer = await run.openWriter();
  for (const index of indexes) {
    const segments = 1 + draw(3);
    const charge = { segments, totalCredits: segments, totalCostKes: 0.8 * segments };
    const outcome = anyOf<RunEntry | undefined>(
      { kind: "accepted", index, receipt: { messageId: "msg_1", ...anyOf<Partial<StoredReceipt>>(charge, {}) } },
      { kind: "uncertain", index, failure: { ...failure, kind: "no-answer" } },
      { kind: "unsent", index, failure: { ...failure, kind: "unreachable" } },
      { kind: "rejected", index, failure },
      undefined,
    );
    now += draw(8 * hour);
    await writer.record({ kind: "intent", indexes: [index] }, now);
    if (outcome !== undefined) await writer.record(outcome, now + 1);
  }
  await writer.close();
  await run.release();
}

async function recordRun(name: string): Promise<void> {
  const messages = drafts(6).map((message) => {
    const sender = anyOf("ACME", "SHOP", undefined);
    return { ...message, segments: 1 + draw(3), ...(sender && { sender: { kind: "name", name: sender } as const }) };
  });
  const { held } = await beginRun(await runsHere(), name, messages, {
    started: new Date(start).toISOString(),
    binding: {
      baseUrl: "https://sms.example",
      path: "/send",
      credentials: "a",
      mode: anyOf("live", "test", "account"),
    },
    payer: { account: "a", key: anyOf("prod", "till"), profile: anyOf("shop", "office", undefined) },
    ...anyOf({}, {}, { isSandbox: true } as const),
  });
  await attempt(held, [0, 1, 2]);
}

/** Every spend that a command can ask for. The history is read once for each month. */
async function spendsOf(history: HistoryKeeper) {
  const spends: Spend[] = [];
  for (const period of [january, february]) {
    const unread = nothingUnread();
    const costs: Cost[] = [];
    for await (const some of history.costs(period.from, { unread })) costs.push(...some);
    const costsOnce = async function* costsOnce() {
      yield costs;
    };
    for (const division of divisions) {
      for (const profile of [undefined, "shop"]) {
        const query = { period, division, profile, currentName: (name: string) => name };
        spends.push({ ...(await readSpend({ costs: costsOnce }, query, () => {})), unread });
      }
    }
  }
  return spends;
}

/** Gives the costs of each entry by itself, as the history has them without any sum. */
function plainly(history: HistoryKeeper): HistoryKeeper {
  const costOf = ({ outcome, segments, totalCredits = segments, totalCostKes = 0, at, ...entry }: Entry) => {
    const [accepted, uncertain] = [outcome === "accepted" ? 1 : 0, outcome === "uncertain" ? 1 : 0];
    return {
      ...entry,
      day: at.slice(0, 10),
      messages: accepted,
      segments: accepted * segments,
      credits: accepted * totalCredits,
      kes: accepted * totalCostKes,
      uncertain: { messages: uncertain, credits: uncertain * segments },
    };
  };
  return {
    ...history,
    costs: async function* costs(since, reading) {
      const isCost = ({ outcome }: Entry) => outcome === "accepted" || outcome === "uncertain";
      for await (const entries of history.newest(since, reading)) yield entries.filter(isCost).map(costOf);
    },
  };
}

async function costsHere(): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for await (const some of (await historyHere()).costs(0)) costs.push(...some);
  return sorted(costs);
}

function sorted(costs: readonly Cost[]): readonly Cost[] {
  return costs.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

async function expectRightSpends(): Promise<void> {
  const plain = await spendsOf(plainly(await historyHere()));

  expect(await spendsOf(await historyHere())).toEqual(plain);
  // By now every run has its sum.
  expect(await spendsOf(await historyHere())).toEqual(plain);
}

describe("the sums of runs", () => {
  it("give the spends that the journals give, whatever becomes of runs, sums and the history", async () => {
    const names = Array.from({ length: 4 }, (_, index) => `run-${index}`);
    for (const name of names) await recordRun(name);
    for (let minute = 0; minute < 10; minute++)
      await (await historyHere()).append({ ...entryAt(minute), at: new Date(start + minute * hour).toISOString() });
    await expectRightSpends();

    for (let step = 0; step < 12; step++) {
      const name = anyOf("run-0", ...names);
      const changes = [
        async () => attempt(await (await runsHere()).open(name), [3 + Math.floor(step / 4)], start + 24 * hour),
        async () => {
          const damaged = readFileSync(sumsPath(), "utf8").replaceAll(/"credits":\d/g, '"credits":7');
          writeFileSync(sumsPath(), damaged);
        },
        async () => {
          await (await historyHere()).keepRun(name);
          await (await runsHere()).remove(name, async () => {});
          await recordRun(name);
        },
        async () => (await historyHere()).prune(start + draw(24 * hour), () => {}),
      ];
      await changes[step % changes.length]?.();
      await expectRightSpends();
    }
  });

  it("are read in place of the journals", async () => {
    await recordRun("a");
    const { size } = statSync(journalOf("a"));
    utimesSync(journalOf("a"), time, time);
    const spends = await spendsOf(await historyHere());

    // Neither size nor time tell that the journal is another one.
    writeFileSync(journalOf("a"), Buffer.alloc(size, "\n"));
    utimesSync(journalOf("a"), time, time);

    expect(await spendsOf(await historyHere())).toEqual(spends);
  });

  it.each([
    { what: "size", change: (journal: string) => `${journal}["intent",5]\n`, changed: time },
    { what: "time", change: (journal: string) => journal.replace('["intent",0]', '["intent",5]'), changed: time + 1 },
  ])("are summed again if the journal has another $what", async ({ change, changed }) => {
    await recordRun("a");
    utimesSync(journalOf("a"), time, time);
    await spendsOf(await historyHere());

    writeFileSync(journalOf("a"), change(readFileSync(journalOf("a"), "utf8")));
    utimesSync(journalOf("a"), changed, changed);

    await expectRightSpends();
  });

  it("are summed again, wherever a kill or a full disk cut them off", async () => {
    await recordRun("a");
    const plain = await costsHere();
    const whole = readFileSync(sumsPath());

    for (let end = 0; end <= whole.length; end++) {
      writeFileSync(sumsPath(), whole.subarray(0, end));
      expect(await costsHere()).toEqual(plain);
    }
  });

  it.each([
    { what: "a folder", put: () => mkdirSync(sumsPath()) },
    { what: "a link", put: () => symlinkSync(join(place, "elsewhere"), sumsPath()) },
  ])("are not kept if $what is in their place", async ({ put }) => {
    await recordRun("a");
    put();
    await expectRightSpends();
    expect(existsSync(join(place, "elsewhere"))).toBe(false);
  });

  it("count a run once that is removed while the history is read", async () => {
    for (const name of ["a", "b", "c"]) await recordRun(name);
    const history = await historyHere();
    const plain = await costsHere();
    for (const name of ["a", "b", "c"]) await history.keepRun(name);
    utimesSync(journalOf("b"), time, time);

    const costs: Cost[] = [];
    const onShare = () => rmSync(join(place, "runs"), { recursive: true, force: true });
    for await (const some of history.costs(0, { onShare })) costs.push(...some);

    expect(sorted(costs)).toEqual(plain);
    expect(await costsHere()).toEqual(plain);
  });

  it("are private, and leave with their runs", async () => {
    for (const name of ["a", "b"]) await recordRun(name);
    await spendsOf(await historyHere());
    expect(statSync(sumsPath()).mode & 0o777).toBe(0o600);
    const [first, second] = linesOf(sumsPath());

    await (await runsHere()).remove("a", async () => {});

    expect([first, second].map((line) => line?.includes('"name":"a"'))).toEqual([true, false]);
    expect(linesOf(sumsPath())).toEqual([second]);
  });
});
