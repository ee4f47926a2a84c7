import { describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { openAt } from "../place.ts";
import { accepted, termsOf } from "../terms.ts";

const account = "a1b2c3d4";
const some = { holder: "a", today: "2026-11-22", limit: 10, messages: [{ index: 0, segments: 3 }] };

describe("the tables of a record", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const place = () => {
    const record = postgres.newRecord();
    return { record, sql: (text: string) => postgres.sql(new URL(record).pathname.slice(1), text) };
  };

  it("are not taken for a day on which nothing was spent where its row is damaged", async () => {
    const { record, sql } = place();
    const keeper = await (await openAt(record).account()).spending();
    await keeper.reserve(account, some);
    sql("update sms.spending set day = left(day, 20)");
    const damaged = expect.objectContaining({ errorCode: "SPENDING_DAMAGED" });
    await expect(keeper.reserve(account, some)).rejects.toThrow(damaged);
    await expect(keeper.day(account, some.today)).rejects.toThrow(damaged);
  });

  it("let a key of --once go by the clock of the server, whatever those of two machines say", async () => {
    const { record } = place();
    const hour = 3_600_000;
    const key = { text: "deploy", isSandbox: false, pause: hour / 2 };
    const late = await openAt(record, 1, undefined, () => Date.now() - hour).once();
    const mine = await late.claim(key, termsOf(), 0);
    if (mine.kind === "used") throw new Error("the key is used");
    await mine.intend();
    await mine.settle(accepted("msg_1"));
    await mine.release();
    const others = [-hour, 0, hour].map((ms, index) => openAt(record, 2 + index, undefined, () => Date.now() + ms));
    for (const other of others) expect(await (await other.once()).find(key, termsOf())).toMatchObject({ kind: "used" });
  });
});
