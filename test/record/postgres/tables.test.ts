import { describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { openAt } from "../place.ts";
import { accepted, termsOf } from "../terms.ts";

describe("the tables of a record", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  it("let a key of --once go by the clock of the server, whatever those of two machines say", async () => {
    const record = postgres.newRecord();
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
