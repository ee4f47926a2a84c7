import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SmsError } from "../../../src/errors.ts";
import { readAddress } from "../../../src/record/postgres/address.ts";
import { type Database, openDatabase } from "../../../src/record/postgres/database.ts";
import { postgresRuns } from "../../../src/record/postgres/runs.ts";
import { machine } from "../../files/this-process.ts";
import { drafts } from "../../runs/running.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { trials } from "../../support/trials.ts";

const binding = { baseUrl: "https://sms.example", path: "/send", credentials: "a", mode: "test" } as const;
const messages = 12;

const fence = "where id = $1 and token = $2 returning id, entries";

/** A session in which the row of a run says nothing about who may write. */
function unfenced(database: Database): Database {
  const query: Database["query"] = (text, values) =>
    database.query(text.replace(fence, "where id = $1 and $2::bigint > 0 returning id, entries"), values);
  return { ...database, query };
}

/** A session whose third intent reaches the server only after the run was taken. */
function late(database: Database, whenTaken: Promise<void>): Database {
  let intents = 0;
  const query: Database["query"] = async (text, values) => {
    if (text.includes("returning id, entries") && ++intents === 3) await whenTaken;
    return database.query(text, values);
  };
  return { ...database, query };
}

describe("a run that is taken from its holder", needs("PostgreSQL"), () => {
  const { newRecord } = usePostgres();

  /**
   * One holder begins messages one after another while a person unlocks the run and another holder reads it. Returns the
   * messages that the first may send and the second would send again.
   */
  async function race(
    url: string,
    name: string,
    change: (database: Database, whenTaken: Promise<void>) => Database,
    delay: number,
  ) {
    const address = readAddress(url);
    const [first, second] = [1, 2].map((pid) => openDatabase(address, pid));
    if (first === undefined || second === undefined) throw new Error("no session");
    const other = postgresRuns(second, machine);
    let tellTaken = () => {};
    const whenTaken = new Promise<void>((resolve) => (tellTaken = resolve));
    const held = await postgresRuns(change(first, whenTaken), machine).hold(name);
    const plan = await held.plan(drafts(messages));
    const { messages: count, segments, digests } = plan;
    const summary = { messages: count, segments, digests };
    await held.begin({ version: 1, name, started: "2026-01-01T00:00:00.000Z", binding, plan: summary });
    const writer = await held.open();
    const begun = new Set<number>();
    let failure: string | undefined;
    const send = async () => {
      try {
        for (let index = 0; index < messages; index++) {
          await writer.intend([index], index);
          // From here on, its request may begin.
          begun.add(index);
        }
      } catch (error) {
        failure = error instanceof SmsError ? error.errorCode : String(error);
      }
    };
    const take = async () => {
      await setTimeout(delay);
      for (let isTaken = false; !isTaken;) {
        // As if it had said nothing for an hour.
        await second.query("update sms.runs set seen = now() - interval '1 hour' where name = $1", [name]);
        isTaken = await other
          .unlock(name, async () => {})
          .then(
            () => true,
            () => false,
          );
      }
      const taken = await other.hold(name);
      const ledger = await (await taken.read())?.readLedger();
      tellTaken();
      return { taken, ledger };
    };
    const [{ taken, ledger }] = await Promise.all([take(), send()]);
    await held.release();
    await taken.release();
    await Promise.all([first.close(), second.close()]);
    const twice = [...begun].filter((index) => ledger?.isDue(index));
    return { twice, failure };
  }

  it("cannot begin a message that the next holder does not know of, however late a commit arrives", async () => {
    const url = newRecord();
    for (let trial = 0; trial < trials("FENCING_TRIALS", 6, 60); trial++) {
      const { twice, failure } = await race(url, `run-${trial}`, (database) => database, trial % 12);
      expect(twice).toEqual([]);
      expect([undefined, "RUN_NOT_RECORDED"]).toContain(failure);
    }
  });

  it("cannot begin a message whose intent arrives after the run was taken", async () => {
    const { twice, failure } = await race(newRecord(), "late", late, 0);
    expect(twice).toEqual([]);
    expect(failure).toBe("RUN_NOT_RECORDED");
  });

  it("could without its token", async () => {
    const change = (database: Database, whenTaken: Promise<void>) => unfenced(late(database, whenTaken));
    const { twice } = await race(newRecord(), "late", change, 0);
    expect(twice).not.toEqual([]);
  });

  it("is one whose holder is silent or whose connection is gone, and no other", async () => {
    const url = newRecord();
    const [first, second] = [1, 2].map((pid) => openDatabase(readAddress(url), pid));
    if (first === undefined || second === undefined) throw new Error("no session");
    const [mine, theirs] = [postgresRuns(first, machine), postgresRuns(second, machine)];
    const held = await mine.hold("a");
    await expect(theirs.hold("a")).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
    await expect(theirs.unlock("a", async () => {})).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
    await first.close();
    await expect.poll(() => theirs.holder("a"), { timeout: 5000 }).toBeUndefined();
    await (await theirs.hold("a")).release();
    await held.release();
    await second.close();
  });
});

describe("a run whose server was replaced", needs("PostgreSQL"), () => {
  const { newRecord } = usePostgres();

  it("goes on once a person has looked, and can be removed", async () => {
    const database = openDatabase(readAddress(newRecord()), 1);
    const runs = postgresRuns(database, machine);
    const held = await runs.hold("a");
    const { messages: count, segments, digests } = await held.plan(drafts(3));
    const plan = { messages: count, segments, digests };
    await held.begin({ version: 1, name: "a", started: "2026-01-01T00:00:00.000Z", binding, plan });
    await held.release();
    await (await runs.hold("a")).release();
    await database.query("update sms.runs set timeline = '000000FF'");
    await expect(runs.hold("a")).rejects.toMatchObject({ errorCode: "RECORD_REPLACED" });
    await runs.unlock("a", async () => {});
    await (await runs.hold("a")).release();
    await database.query("update sms.runs set timeline = '000000FF'");
    await runs.remove("a", async () => {});
    expect(await runs.list()).toEqual([]);
    await database.close();
  });
});
