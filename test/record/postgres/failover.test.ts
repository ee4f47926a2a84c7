import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCountingServer } from "../../support/counting-server.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { testKey } from "../../support/scripted-run.ts";
import { lastJson, runSms } from "../../support/sms.ts";

/** More than may be in flight at once, whatever waits. */
const list = Array.from({ length: 160 }, (_, index) => `+254712345${String(index).padStart(3, "0")}`);
const [before, after] = ["+254712346001", "+254712346002"];

/** The service, which answers once `delay` has ended. */
async function service(delay: (index: number, to: string) => unknown) {
  const { url, counts } = await startCountingServer(delay);
  const use = (record: string, args: readonly string[], stdin = "") =>
    runSms([...args, "--json"], { env: { SMS_BASE_URL: url, ...testKey, SMS_RECORD: record }, stdin, boundMs: 60_000 });
  return { counts, use };
}

const sendRun = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--yes", "--rate", "6000"];
const sendOnce = (to: string) => ["send", "--to", to, "-m", "Hi", "--once", to];
const at = (port: number, record: string) => record.replace(/:\d+\//, `:${port}/`);

describe("a record whose replica takes over", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  /** Cuts the replica off in mid-run, lets the primary record more, and has it die. */
  async function lose() {
    const replica = await postgres.replicate();
    const record = postgres.newRecord();
    const replicated = new Set<string>();
    let isOver: Promise<unknown> | undefined;
    const { counts, use } = await service((index, to) => {
      if (index === 20) {
        replica.cut();
        for (const number of counts.keys()) replicated.add(number);
        // What is recorded now is lost; then the primary dies.
        isOver = use(record, sendOnce(after)).then(() => postgres.stop("immediate"));
      }
      return index > 40 && to !== after ? isOver : undefined;
    });
    await use(record, sendOnce(before));
    const first = await use(record, sendRun, list.join("\n"));
    await isOver;
    expect(first).toMatchObject({ code: 11, stderr: expect.stringContaining("RUN_NOT_RECORDED") });
    expect([counts.get(before), counts.get(after)]).toEqual([1, 1]);
    replica.promote();
    return { counts, use, replicated, copy: at(replica.port, record) };
  }

  it("lacks what it did not get: such messages may be sent twice, and no others, once somebody has looked", async () => {
    const { counts, use, replicated, copy } = await lose();
    const texted = [...counts];
    const resume = ["runs", "resume", "a", "--yes", "--rate", "6000"];
    const { code, stderr } = await use(copy, resume);
    expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 2, errorCode: "RECORD_REPLACED" });
    expect(JSON.parse((await use(copy, sendOnce(before))).stdout)).toMatchObject({ replayed: true });
    expect([...counts]).toEqual(texted);
    expect((await use(copy, sendOnce(after))).stdout).not.toContain("replayed");

    expect((await use(copy, ["runs", "unlock", "a", "--yes"])).code).toBe(0);
    const { accepted, uncertain } = lastJson((await use(copy, resume)).stdout);
    expect(accepted + uncertain).toBe(list.length);
    const twice = [...counts].filter(([, count]) => count > 1).map(([to]) => to);
    expect(twice.filter((to) => replicated.has(to))).toEqual([]);
    // Else this test would see no loss.
    expect(twice.length).toBeGreaterThan(1);
    expect(twice).toContain(after);
    expect(list.filter((to) => !counts.has(to)).length).toBeLessThanOrEqual(uncertain);
  });
});

describe("a record with a synchronous replica", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();

  it("has nobody texted twice when the replica takes over", async () => {
    const replica = await postgres.replicate();
    const record = postgres.newRecord();
    postgres.sql("postgres", "alter role sms set synchronous_commit = remote_apply");
    postgres.set("synchronous_standby_names = '*'");
    const { counts, use } = await service(async (index) => {
      if (index !== 20) return;
      replica.cut();
      // An intent waits for the replica, and its message with it.
      const waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'";
      while (postgres.sql("postgres", waiting) === "0") await setTimeout(10);
      await postgres.stop("immediate");
    });
    const first = await use(record, sendRun, list.join("\n"));
    expect([first.code, first.stderr]).toEqual([11, expect.stringContaining("RUN_NOT_RECORDED")]);
    replica.promote();
    const taken = at(replica.port, record);
    expect((await use(taken, ["runs", "unlock", "a", "--yes"])).code).toBe(0);
    const last = await use(taken, ["runs", "resume", "a", "--yes", "--rate", "6000"]);
    const { accepted, uncertain } = lastJson(last.stdout);
    expect(accepted + uncertain).toBe(list.length);
    expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
    expect(list.filter((to) => !counts.has(to)).length).toBeLessThanOrEqual(uncertain);
  });
});
