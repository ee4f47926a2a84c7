import { describe, expect, it, onTestFinished } from "vitest";
import { readRecordAddress } from "../../../src/record/postgres/address.ts";
import { type Database, openDatabase, type Query } from "../../../src/record/postgres/database.ts";
import type { SmsError } from "../../../src/errors.ts";
import { postgresRuns } from "../../../src/record/postgres/runs-table.ts";
import { machine } from "../../files/this-process.ts";
import { drafts } from "../../sending/running.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { trials } from "../../support/trials.ts";
import { beginRun, planRun } from "../runs-suite.ts";

const messages = 2;

/** Waits before a step until it is its turn. */
type Step = () => Promise<void>;

/** Someone who does one step at a time. */
interface Actor {
  /** Lets it do the next step. */
  readonly go: () => void;
  /** Resolves once it waits for its turn, or has ended. */
  readonly rests: () => Promise<void>;
  readonly isResting: () => boolean;
}

function startActor(act: (step: Step) => Promise<void>): Actor {
  let [isResting, resume, tellRest] = [false, () => {}, () => {}];
  let resting = Promise.resolve();
  const move = () => {
    isResting = false;
    resting = new Promise((resolve) => (tellRest = resolve));
  };
  const rest = () => {
    isResting = true;
    tellRest();
  };
  const step = () =>
    new Promise<void>((resolve) => {
      resume = resolve;
      rest();
    });
  move();
  void (async () => {
    await act(step);
    resume = rest;
    rest();
  })();
  const go = () => {
    move();
    resume();
  };
  return { go, rests: () => resting, isResting: () => isResting };
}

/** The first owner records, commits and sends each message, then gives the run back. */
const steps = { first: ["intend", "commit", "send", "intend", "commit", "send", "release"], second: 5 };

type Turn = "first" | "second";

/**
 * All orders of the steps of both. Between a statement and its commit the second does at most one step: it waits for that commit, or
 * the statement did nothing.
 */
function orders(first = 0, second = 0, isAmid = false): readonly (readonly Turn[])[] {
  const isCommit = steps.first[first] === "commit";
  const begun = (turn: Turn, rest: readonly (readonly Turn[])[]) => rest.map((order) => [turn, ...order]);
  if (first === steps.first.length && second === steps.second) return [[]];
  return [
    ...(first < steps.first.length ? begun("first", orders(first + 1, second)) : []),
    ...(second < steps.second && !(isCommit && isAmid) ? begun("second", orders(first, second + 1, isCommit)) : []),
  ];
}

interface World {
  /** The sessions of both owners, and another that looks at them. */
  readonly first: Database;
  readonly second: Database;
  readonly watcher: Database;
  /** What the server gets in place of each statement of the first. */
  readonly change: (text: string) => string;
}

async function isAnyBlocked(watcher: Database): Promise<boolean> {
  return (await watcher.query("select from pg_locks where not granted limit 1")).length > 0;
}

/** Holds, unlocks, takes over and sends in one order. Returns the messages that both have sent. */
async function sentTwice({ first, second, watcher, change }: World, order: readonly Turn[]) {
  const sent = { first: new Set<number>(), second: new Set<number>() };
  const open = { isOpen: false };
  /** A statement that records an intent is executed in one step and committed in another. */
  const inSteps = (step: Step): Database => ({
    ...first,
    queryOfSession: () => (text, values) =>
      !text.includes("insert into sms.journal")
        ? first.query(change(text), values)
        : first.transaction(async (ask: Query) => {
            await step();
            open.isOpen = true;
            const rows = await ask<never>(change(text), values);
            await step();
            open.isOpen = false;
            return rows;
          }),
  });
  const owner = startActor(async (step) => {
    const run = await postgresRuns(inSteps(step), machine).open("a");
    const writer = await run.openWriter();
    for (let index = 0; index < messages; index++) {
      const isRecorded = await writer.record({ kind: "intent", indexes: [index] }, index).then(
        () => true,
        () => false,
      );
      if (!isRecorded) break;
      await step();
      sent.first.add(index);
    }
    await step();
    await run.release();
  });
  const runs = postgresRuns(second, machine);
  const taker = startActor(async (step) => {
    await step();
    // As if the first had said nothing for an hour. It may have released the run.
    await second.query("update sms.runs set seen = now() - interval '1 hour'");
    await runs.unlock("a", async () => {}).catch(() => {});
    await step();
    const run = await runs.open("a");
    await step();
    const ledger = await (await run.read())?.readLedger();
    const due = Array.from({ length: messages }, (_, index) => index).filter((index) => ledger?.isDue(index));
    await step();
    await (await run.openWriter()).record({ kind: "intent", indexes: due }, 0);
    await step();
    for (const index of due) sent.second.add(index);
    await run.release();
  });
  const waitFor = async (actor: Actor) => {
    while (open.isOpen && !actor.isResting() && !(await isAnyBlocked(watcher)));
    if (!open.isOpen) await actor.rests();
  };
  await Promise.all([owner.rests(), taker.rests()]);
  for (const turn of [...order, ...order]) {
    const actor = turn === "first" ? owner : taker;
    if (actor.isResting()) actor.go();
    if (turn === "first") await owner.rests();
    await waitFor(taker);
  }
  await watcher.query("with old as (delete from sms.journal) update sms.runs set entries = 0");
  return [...sent.first].filter((index) => sent.second.has(index));
}

describe("a run in a database", needs("PostgreSQL", "CI to be set"), () => {
  // A test of orders, not of disks.
  const { newRecord, sql, breakConnections } = usePostgres({ fsync: "off" });
  const session = (url: string, pid = 1) => {
    const database = openDatabase(readRecordAddress(url), pid);
    onTestFinished(database.close);
    return database;
  };
  const twoSessions = (url = newRecord()) => [session(url), session(url, 2)] as const;

  /** Returns the first of these orders in which both sent the same message. */
  async function findTwice(change: World["change"], tried: readonly (readonly Turn[])[]) {
    const url = newRecord();
    const [first, second, watcher] = [...twoSessions(url), session(url, 3)] as const;
    const { ownRun: run } = await beginRun(postgresRuns(first, machine), "a", drafts(messages));
    await run.release();
    for (const order of tried) {
      const twice = await sentTwice({ first, second, watcher, change }, order);
      if (twice.length > 0) return order;
    }
    return undefined;
  }

  it("has no message sent by two owners, in whatever order they act and commits arrive", async () => {
    expect(orders()).toHaveLength(560);
    const every = trials("FENCING_EVERY", 28, 4);
    const tried = orders().filter((_, index) => index % every === 0);
    expect(await findTwice((text) => text, tried)).toBeUndefined();
  });

  it("would be found to have one without its token", async () => {
    const unfenced = (text: string) => text.replace("where id = $1 and token = $2", "where id = $1 and $2::bigint > 0");
    expect(await findTwice(unfenced, orders().toReversed())).toBeDefined();
  });

  it("is waited for while its owner is missing, and no longer once the connection is known to be gone", async () => {
    const [first, second] = twoSessions();
    const run = await postgresRuns(first, machine).open("a");
    const silentFor = (time: string) => second.query(`update sms.runs set seen = now() - interval '${time}'`);
    const said: string[] = [];
    const hold = () =>
      postgresRuns(second, machine).open("a", (text) => {
        said.push(text);
        void first.close();
      });
    // It is stopped: a vanished machine would be known by now.
    await silentFor("80 seconds");
    await expect(hold()).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
    expect(said).toEqual([]);
    await silentFor("20 seconds");
    await (await hold()).release();
    expect(said).toEqual([
      expect.stringMatching(/^process 1 on .* works on run a and has said nothing for 2\d s: waiting /),
    ]);
    await run.release();
  });

  it("is not recorded by an owner whose connection broke while an intent was open, though it can connect again", async () => {
    const url = newRecord();
    const first = session(url);
    const { ownRun: run } = await beginRun(postgresRuns(first, machine), "a", drafts(messages));
    const writer = await run.openWriter();
    await writer.record({ kind: "intent", indexes: [0] }, 0);
    breakConnections(url);
    await first.query("select 1");
    const later = writer.record({ kind: "intent", indexes: [1] }, 1);
    await expect(later).rejects.toMatchObject({ errorCode: "RUN_NOT_RECORDED" });
    await run.release();
  });

  it("takes nothing of an owner whom a person has unlocked, before the plan, amid it or after it", async () => {
    const url = newRecord();
    const database = session(url);
    const unlock = () => sql(url, "update sms.runs set token = nextval('sms.token')");
    async function* unlocked() {
      unlock();
      yield* drafts(1);
    }
    const { ownRun: run, header } = await planRun(postgresRuns(database, machine));
    const { ownRun: other } = await planRun(postgresRuns(database, machine), "b");

    const amid = await Promise.allSettled([run.writePlan(unlocked())]);
    const later = await Promise.allSettled([run.writePlan(drafts(1)), other.writePlan(drafts(1)), run.begin(header)]);

    const lost = { status: "rejected", reason: { errorCode: "RUN_NOT_RECORDED" } };
    expect([...amid, ...later]).toMatchObject([lost, lost, lost, lost]);
    expect(sql(url, "select count(*) from sms.plan join sms.runs on id = run where name = 'b'")).toBe("6");
  });

  it("is taken by nobody else while its owner takes it again after its connection broke", async () => {
    const url = newRecord();
    const [first, second] = twoSessions(url);
    const watcher = session(url, 3);
    const ending = { code: "" };
    const openMeanwhile = async () => {
      void postgresRuns(second, machine)
        .open("a")
        .then(
          () => (ending.code = "open"),
          ({ errorCode }: SmsError) => (ending.code = errorCode ?? ""),
        );
      while (ending.code === "" && !(await isAnyBlocked(watcher)));
    };
    const inSteps =
      (ask: Query): Query =>
      async (text, values) => {
        const rows = await ask<never>(text, values);
        if (text.includes("their.run = other.id")) await openMeanwhile();
        return rows;
      };
    const slow: Database = { ...first, transaction: (work) => first.transaction((ask) => work(inSteps(ask))) };
    const { ownRun: run } = await beginRun(postgresRuns(slow, machine), "a", drafts(messages));
    breakConnections(url);

    await (await run.openWriter()).record({ kind: "intent", indexes: [0] }, 0);

    await expect.poll(() => ending.code).toBe("RUN_BUSY");
    await run.release();
  });

  it("is opened under a new name while another command begins a run, and by many at once that clean up for each other", async () => {
    const url = newRecord();
    const watcher = session(url);
    const others = [2, 3, 4, 5].map((pid) => session(url, pid));
    await postgresRuns(watcher, machine).alone(async () => {
      for (let trial = 0; trial < 5; trial++) {
        // Killed before they began.
        await watcher.query("insert into sms.runs (name) select 'run-' || n from generate_series(0, 3) as n");
        const runs = await Promise.all(
          others.map((database, index) => postgresRuns(database, machine).open(`run-${index}`)),
        );
        expect(runs).toHaveLength(4);
        for (const run of runs) await run.release();
      }
    });
  });

  it("goes on once a person has looked, after its server was replaced, and can be removed", async () => {
    const database = session(newRecord());
    const runs = postgresRuns(database, machine);
    const { ownRun: run } = await beginRun(runs);
    await run.release();
    await (await runs.open("a")).release();
    await database.query("update sms.runs set timeline = '000000FF'");
    await expect(runs.open("a")).rejects.toMatchObject({ errorCode: "RECORD_REPLACED" });
    await runs.unlock("a", async () => {});
    await (await runs.open("a")).release();
    // A dump that is restored has the numbers of another table.
    await database.query("create table sms.copy (like sms.runs including all)");
    await database.query("insert into sms.copy overriding system value select * from sms.runs");
    await database.query("drop table sms.runs cascade");
    await database.query("alter table sms.copy rename to runs");
    await expect(runs.open("a")).rejects.toMatchObject({ errorCode: "RECORD_REPLACED" });
    await runs.remove("a", async () => {});
    expect(await runs.list()).toEqual([]);
  });
});
