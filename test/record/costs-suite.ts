import { expect, it } from "vitest";
import { rounded } from "../../src/message/outcome.ts";
import { addTo, noAmounts } from "../../src/record/cost.ts";
import type { StoredReceipt } from "../../src/record/journal-entry.ts";
import {
  type Cost,
  type HistoryEntry,
  type HistoryKeeper,
  nothingUnread,
  type OnShare,
} from "../../src/record/history.ts";
import type { RecordKeeper } from "../../src/record/record-keeper.ts";
import type { OwnRun, RunEntry } from "../../src/record/runs.ts";
import { divisions, readSpend, type Spend } from "../../src/reports/spend.ts";
import { drafts } from "../sending/running.ts";
import { drawing, seed } from "../support/seed.ts";
import { failure } from "./entries.ts";
import { type Keeper, openAt } from "./place.ts";
import { beginRun } from "./runs-suite.ts";
import { entryAt } from "./samples.ts";

const draw = drawing(seed);
const hour = 60 * 60 * 1000;
const january = { from: Date.UTC(2026, 0), to: Date.UTC(2026, 1) };
const february = { from: january.to, to: Date.UTC(2026, 2) };
/** Runs begin on the last day of January and end in February. */
const start = january.to - 12 * hour;

function anyOf<Value>(...values: readonly [Value, ...Value[]]): Value {
  return values[draw(values.length)] ?? values[0];
}

/** Tries messages of a run, a while apart, with outcomes of any kind, and releases the run. */
async function attempt(run: OwnRun, indexes: readonly number[], from = start): Promise<void> {
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

export async function recordRun(record: RecordKeeper, name: string): Promise<void> {
  const messages = drafts(6).map((message) => {
    const sender = anyOf("ACME", "SHOP", undefined);
    return { ...message, segments: 1 + draw(3), ...(sender && { sender: { kind: "name", name: sender } as const }) };
  });
  const { ownRun } = await beginRun(await record.runs(), name, messages, {
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
  await attempt(ownRun, [0, 1, 2]);
}

/** Every spend that a command can ask for, the later month first, whose reading makes sums that hold for January too. */
export async function spendsOf(history: HistoryKeeper) {
  const spends: Spend[] = [];
  for (const period of [february, january]) {
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
  const costOf = ({ outcome, segments, totalCredits = segments, totalCostKes = 0, at, ...entry }: HistoryEntry) => {
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
      const isCost = ({ outcome }: HistoryEntry) => outcome === "accepted" || outcome === "uncertain";
      for await (const entries of history.newest(since, reading)) yield entries.filter(isCost).map(costOf);
    },
  };
}

/** All costs, in an order that says nothing, and what they have in common summed: a file gives a run in any portions. */
export async function costsIn(record: RecordKeeper, onShare: OnShare = () => {}): Promise<readonly Cost[]> {
  const costs = new Map<string, Cost>();
  for await (const some of (await record.history()).costs(0, { onShare })) {
    for (const cost of some) {
      const id = [cost.day, cost.key, cost.profile, cost.run, cost.mode, cost.sender].join();
      const sum = costs.get(id) ?? { ...cost, ...noAmounts() };
      costs.set(id, sum);
      addTo(sum, cost);
    }
  }
  return [...costs].toSorted(([a], [b]) => a.localeCompare(b)).map(([, cost]) => ({ ...cost, kes: rounded(cost.kes) }));
}

export async function expectRightSpends(record: RecordKeeper): Promise<void> {
  const history = await record.history();
  const plain = await spendsOf(plainly(history));

  expect(await spendsOf(history)).toEqual(plain);
  // By now every run has its sum.
  expect(await spendsOf(history)).toEqual(plain);
}

/** `damage` changes each credit of the sums, if they are where a user may change them. */
export function costsSuite({ newPlace }: Keeper, damage: (place: string) => void = () => {}): void {
  it("the costs of runs are those of their journals, whatever becomes of runs, sums and the history", async () => {
    const place = newPlace();
    const record = openAt(place);
    const [runs, history] = [await record.runs(), await record.history()];
    const names = Array.from({ length: 4 }, (_, index) => `run-${index}`);
    const changes = [
      async (name: string, round: number) => attempt(await runs.open(name), [3 + round], start + 24 * hour),
      async () => damage(place),
      async (name: string) => {
        await history.keepRun(name);
        await runs.remove(name, async () => {});
        await recordRun(record, name);
      },
      async () => history.prune(start + draw(24 * hour), () => {}),
    ];

    for (const name of names) await recordRun(record, name);
    for (let minute = 0; minute < 10; minute++)
      await history.append({ ...entryAt(minute), at: new Date(start + minute * hour).toISOString() });
    await expectRightSpends(record);
    for (let round = 0; round < 3; round++) {
      for (const change of changes) {
        await change(anyOf("run-0", ...names), round);
        await expectRightSpends(record);
      }
    }
  });
}
