import { hostname, userInfo } from "node:os";
import { beforeEach, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { openAt } from "../record/place.ts";
import { fast, numbers, objectsIn, withRuns } from "./with-runs.ts";

const here = { user: userInfo().username, machine: hostname() };
const hereText = `${here.user} on ${here.machine}`;
const anna = { user: "anna", machine: "laptop" };

describe("commands of a team", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const { run: runWithout, file } = withRuns();
  let record: string;
  beforeEach(() => {
    record = postgres.newRecord();
  });

  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runWithout(args, { environment: { SMS_RECORD: record, SMS_API_KEY: "sk_live_sandbox", ...environment } });
  const json = async (args: readonly string[]) => objectsIn((await run([...args, "--json"])).stdout);
  const sql = (text: string) => postgres.sql(new URL(record).pathname.slice(1), text);
  /** Has everything that was recorded so far come from another machine. */
  const asAnna = () => {
    sql(
      `update sms.runs set owners = (select jsonb_object_agg(key, '${JSON.stringify(anna)}'::jsonb) from jsonb_each(owners))`,
    );
    sql(`update sms.history set entry = (entry::jsonb || '${JSON.stringify(anna)}'::jsonb)::text`);
    sql(`update sms.once set intent = (intent::jsonb || '{"by":${JSON.stringify(anna)}}'::jsonb)::text`);
  };
  const list = () => file("list.txt", [...numbers(2), "+254700000400"].join("\n"));
  const send = (...more: readonly string[]) => run(["send", "-r", list(), "-m", "Hi", ...fast, "--yes", ...more]);

  it("count at the start of a watch what watches on other machines told", async () => {
    const watch = () =>
      runWithout(["watch", "--to", "+254712345678", "--at-most", "1/h"], {
        environment: { SMS_RECORD: record, SMS_API_KEY: "sk_live_sandbox" },
        stdin: "ERROR x\n",
      });
    expect(await watch()).toMatchObject({ code: 0 });
    asAnna();
    expect(await watch()).toMatchObject({ code: 11, stderr: expect.stringContaining("--at-most 1/h allows no more") });
  });

  it("say who began a run, who sent each message, and from which machine", async () => {
    await send("--run", "topup");
    asAnna();
    expect((await run(["runs", "list"])).stdout).toContain("  topup  sandbox  just now  anna on laptop  2 of 3");
    expect((await json(["runs", "list"])).flat()).toMatchObject([{ run: "topup", ...anna }]);
    const resumed = await run(["runs", "resume", "topup", "--retry", "rejected", "--yes"]);
    expect(resumed.stderr).toMatch(/Begun by +anna on laptop\n/);
    const shown = (await run(["runs", "show", "topup"])).stdout;
    expect(shown).toContain("started just now by anna on laptop, sandbox, at");
    const [first, , last, summary] = await json(["runs", "show", "topup"]);
    expect([first, last, summary]).toMatchObject([anna, here, { type: "summary", ...anna }]);
    const exported = (await run(["runs", "export", "topup"])).stdout.split("\n");
    expect(exported[0]).toMatch(/,"message","user","machine"$/);
    expect(exported[1]).toMatch(/,"anna","laptop"$/);
  });

  it("say in the history and for a key of --once who sent a message", async () => {
    const once = ["send", "--to", "+254712345678", "-m", "Hi", "--once", "deploy"];
    await run(once);
    await send("--run", "topup");
    asAnna();
    expect((await run(once)).stdout).toMatch(/was sent at\s+\S+ by anna on laptop\n/);
    await run(["send", "--to", "+254712345679", "-m", "Hi"]);
    const entries = (await json(["history"])).flat();
    expect(entries.map(({ machine }) => machine)).toEqual([here.machine, "laptop", "laptop", "laptop", "laptop"]);
    expect((await run(["history", "--limit", "2"])).stdout).toMatch(/, run topup, .*by anna on laptop/);
    // A run that is removed is still the one's who sent it.
    expect((await run(["runs", "remove", "topup", "--yes"])).code).toBe(0);
    expect((await json(["history"])).flat().map(({ user }) => user)).toEqual(entries.map(({ user }) => user));
  });

  it("sum what a run cost once, and again when it goes on", async () => {
    await send("--run", "topup");
    const spend = async () => (await run(["spend"])).stdout;
    const before = await spend();
    expect(before).toMatch(/[1-9]\d* messages?, not charged/);

    sql("update sms.journal set line = 'lost'");
    expect(await spend()).toBe(before);

    sql("update sms.runs set entries = entries - 1");
    expect((await run(["spend"])).stderr).toContain("run topup cannot be read");
  });

  it("count a run that is removed while the history is read once", async () => {
    await send("--run", "topup");
    const history = await openAt(record).history();
    await history.keepRun("topup");
    // Its share is told before the run is read.
    const count = async (onShare: () => void) => {
      let entries = 0;
      for await (const some of history.newest(0, { onShare })) entries += some.length;
      return entries;
    };
    const whileRemoved = await count(() => sql("delete from sms.runs"));
    expect([whileRemoved, await count(() => {})]).toEqual([3, 3]);
  });

  it("say who holds a run", async () => {
    await send("--run", "topup");
    const openRun = await (await openAt(record, 77).runs()).open("topup");
    const owner = `process 77 on ${here.machine} (${here.user})`;
    expect((await run(["runs", "show", "topup"])).stdout).toContain(`Now: ${owner} is sending it`);
    expect((await json(["runs", "show", "topup"])).at(-1)).toMatchObject({ owner });
    expect((await run(["runs", "resume", "topup"])).stderr).toContain(`${owner} works on run topup`);
    await openRun.release();
    expect((await json(["runs", "show", "topup"])).at(-1)).not.toHaveProperty("owner");
  });

  it("speak of the team, not of this machine", async () => {
    const added = await run(["optout", "add", "+254712345671"]);
    expect(added.stdout).toBe("Opted out +254712345671: your team does not send to it any more.\n");
    expect((await run(["history", "--prune", "1d"])).stdout).toBe("Deleted 0 lines of the history of your team.\n");
    const status = await run(["status"]);
    expect(status.stdout).toContain(`  Record    ${record} (from SMS_RECORD)\n`);
    const checked = await run(["status", "--check"]);
    expect(checked.stdout).toContain("✓ Room to record  the record of your team can be written\n");
  });

  it("use the record of a profile, whose password is shown nowhere", async () => {
    sql("grant all on schema sms to guest; grant all on all tables in schema sms to guest");
    sql("grant all on all sequences in schema sms to guest");
    const place = record.replace("//sms@", "//guest@");
    const withPassword = place.replace("guest@", "guest:secret@");
    const set = `profiles set record ${withPassword}`;
    const sets = [set, `${set} --json`, `profiles set ${withPassword}`, `${set}?no=1`];
    const readings = "profiles list --json, status --json, status --check, record, record init".split(", ");
    const ended = [];
    for (const line of [...sets, ...readings, "send --to +254712345678 -m Hi --verbose", "runs list", "history"])
      ended.push(await runWithout(line.split(" ")));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(ended.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("secret");
    expect(ended[0]?.stdout).toBe(`Set record to ${place} in profile default.\n`);
    expect(ended[11]?.stdout).toContain(hereText);
    sql("alter role guest password 'other'");
    const refused = await runWithout(["record"]);
    sql("alter role guest password 'secret'");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("the password is wrong")]);
    expect(refused.stderr).not.toContain("secret");
  });

  it("use the record of the profile that --profile names, for whom a send leaves out and for all else", async () => {
    const shop = ["--profile", "shop"];
    const login = ["login", ...shop, "--base-url", "http://127.0.0.1:4010", "--with-key", "--no-verify"];
    // The first profile is in use.
    await runWithout(["profiles", "set", "country", "KE"]);
    await runWithout(login, { stdin: "sk_live_sandbox" });
    await runWithout(["profiles", "set", "record", record, ...shop]);
    const [one = "", two = "", three = ""] = numbers(3);
    const listed = file("three.txt", [one, two, three].join("\n"));
    const sendAs = (profile: readonly string[], to: string, ...more: readonly string[]) =>
      runWithout(["send", "-r", to, "-m", "Hi", ...fast, "--yes", ...profile, ...more]);
    // A run of the same name on this machine reached somebody else.
    expect((await sendAs([], file("two.txt", two), "--run", "march")).code).toBe(0);
    expect((await sendAs(shop, file("one.txt", one), "--run", "march")).code).toBe(0);
    expect((await runWithout(["optout", "add", three, ...shop])).stdout).toContain("your team does not send to it");
    const dry = await sendAs(shop, listed, "--exclude", "run:march", "--dry-run", "--json");
    expect(JSON.parse(dry.stdout)).toMatchObject({ leftOut: { excluded: 1, optedOut: 1 }, first: { to: two } });
    const names = async (...args: readonly string[]) => (await runWithout([...args, "--json"])).stdout;
    expect(await names("runs", "export", "march", ...shop)).toContain(one);
    expect(await names("runs", "export", "march")).toContain(two);
    expect(JSON.parse(await names("optout", "list"))).toEqual([]);
    expect((await runWithout(["runs", "close", "march", ...shop])).code).toBe(0);
    expect(JSON.parse(await names("runs", "list"))).not.toMatchObject([{ closed: true }]);
    expect(JSON.parse(await names("runs", "list", ...shop))).toMatchObject([{ run: "march", closed: true }]);
    expect((await runWithout(["runs", "remove", "march", "--yes", ...shop])).code).toBe(0);
  });
});
