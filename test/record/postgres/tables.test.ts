import { describe, expect, it } from "vitest";
import { keyName } from "../../../src/record/once.ts";
import { readRecordAddress } from "../../../src/record/postgres/address.ts";
import { openDatabase } from "../../../src/record/postgres/database.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { openAt } from "../place.ts";
import { accepted, claimKey, useOf } from "../samples.ts";

describe("the tables of a record", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const minute = 60_000;

  it("keep a key that is claimed a day after its pause, and wait for no other key that is claimed", async () => {
    const record = postgres.newRecord();
    const [keys, other] = [await openAt(record).once(), openDatabase(readRecordAddress(record), 2)];
    const key = { text: "a", isInProcess: false, pauseMs: minute };
    const intend = async (text: string) => {
      const claimed = await claimKey(keys, { ...key, text });
      await claimed.intend();
      await claimed.release();
    };
    await intend("a");
    await intend("b");
    const set = `intent = jsonb_set(intent::jsonb, '{at}', '"2020-01-01T00:00:00.000Z"'), over = '2020-01-03'`;
    postgres.sql(record, `update sms.once set ${set}`);

    await other.transaction(async (ask) => {
      await ask("select from sms.once where key = $1 for update", [keyName({ ...key, text: "b" })]);
      await intend("a");
    });
    await other.close();

    expect(await keys.find(key, useOf())).toMatchObject({ outcome: { kind: "uncertain" } });
  });

  it("drop keys whose pause has been over for a day, and take a time ahead of the server's clock for now", async () => {
    const record = postgres.newRecord();
    const sql = (text: string) => postgres.sql(record, text);
    const keys = await openAt(record).once();
    const use = async (text: string) => {
      const claimed = await keys.claim({ text, isInProcess: false, pauseMs: minute }, useOf(), 0);
      if (claimed.kind === "used") return claimed;
      await claimed.intend();
      await claimed.settle(accepted("msg_1"));
      await claimed.release();
      return undefined;
    };
    await use("a");
    sql("update sms.once set over = clock_timestamp() - interval '1 s'");
    await use("b");
    expect(sql("select count(*) from sms.once")).toBe("1");
    sql("update sms.once set intent = jsonb_set(intent::jsonb, '{at}', '\"2050-01-01T00:00:00.000Z\"')");
    const used = await use("b");
    expect(Math.abs(Date.parse(used?.at ?? "") - Date.now())).toBeLessThan(minute);
    expect(await keys.find({ text: "b", isInProcess: false, pauseMs: minute }, useOf())).toMatchObject({
      at: used?.at,
    });
  });
});
