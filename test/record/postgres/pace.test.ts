import { describe, expect, it } from "vitest";
import { type AccountPace, lateness, turnInterval } from "../../../src/record/account.ts";
import { readAddress } from "../../../src/record/postgres/address.ts";
import { openDatabase } from "../../../src/record/postgres/database.ts";
import { postgresPace } from "../../../src/record/postgres/pace.ts";
import { machine } from "../../files/this-process.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { openAt } from "../place.ts";

const account = "a1";

describe("the pace of an account in a database", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const databaseOf = (url: string) => new URL(url).pathname.slice(1);
  const open = (url: string, pid = 1) => openAt(url, pid).account();

  it("gives no turn twice, however many ask at once", async () => {
    const url = postgres.newRecord();
    const keepers = await Promise.all([1, 2, 3, 4].map((pid) => open(url, pid)));
    // Opens the sessions.
    await Promise.all(keepers.map((keeper) => keeper.takeTurn(account)));
    const paces = await Promise.all(keepers.map((keeper) => keeper.join(account, 6000)));
    const began = performance.now();
    const takeThrice = async (pace: AccountPace) => [await pace.take(), await pace.take(), await pace.take()];
    const takes = (await Promise.all(paces.map(takeThrice))).flat();
    const turns = takes.reduce((sum, { count }) => sum + count, 0);
    // A take has 24 turns, and no take begins later than 300 ms from now.
    expect(turns).toBeGreaterThanOrEqual(48);
    expect(turns).toBeLessThan((performance.now() - began + 300 + lateness) / turnInterval(6000) + 25);
  });

  it("counts a run as gone that was not heard of, and is not held up by a clock that was set back", async () => {
    const url = postgres.newRecord();
    const keeper = await open(url);
    // A turn a minute: none comes while the test runs.
    const pace = await keeper.join(account, 1);
    await pace.take();
    const move = (ms: number) =>
      postgres.sql(
        databaseOf(url),
        `update sms.pace set at = at + ${ms}, next = next + ${ms},
          runs = (select jsonb_object_agg(key, jsonb_build_array(value->0, (value->>1)::float8 + ${ms})) from jsonb_each(runs))`,
      );
    expect(await keeper.takeTurn(account)).toBeGreaterThan(0);
    move(-600_000);
    expect(await keeper.takeTurn(account)).toBe(0);
    await (await keeper.join(account, 1)).take();
    move(3_600_000);
    const { wait } = await (await keeper.join(account, 1)).take();
    expect(wait).toBeLessThan(turnInterval(1));
  });

  it("fails no send without the rights to it, nor without its table", async () => {
    const url = postgres.newRecord();
    const own = { wait: 0, count: 1, interval: 0 };
    for (const [pid, change] of ["revoke all on sms.pace from sms", "drop table sms.pace"].entries()) {
      postgres.sql(databaseOf(url), change);
      const keeper = await open(url, pid + 10);
      const pace = await keeper.join(account, 100);
      expect([await pace.take(), await pace.take(), await keeper.takeTurn(account)]).toEqual([own, own, 0]);
      await pace.hold(1000);
      await pace.leave();
    }
  });

  it("asks ahead, so that a database far away slows no run down", async () => {
    const database = openDatabase(readAddress(postgres.newRecord()), 1);
    let asked = 0;
    const query: typeof database.query = (text, values) => {
      asked++;
      return database.query(text, values);
    };
    const pace = await postgresPace({ ...database, query }, machine).join(account, 2000);
    const { count } = await pace.take();
    // For a row, for these turns, and for the next ones while these are used.
    expect([count, asked]).toEqual([8, 3]);
    expect([(await pace.take()).count, asked]).toEqual([8, 4]);
    await pace.leave();
    await database.close();
  });
});
