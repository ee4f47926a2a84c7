import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { blocks } from "../support/blocks.ts";
import { startCountingServer } from "../support/counting-server.ts";
import { temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { shellLine } from "../support/shell.ts";
import { program, runSms } from "../support/sms.ts";

const to = "+254712345678";

describe("docs/team.md", needs("POSIX shell", "PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const code = (language: string) =>
    blocks("docs/team.md").flatMap((block) => (block.language === language ? [block.code] : []));
  const [setUp = "", moveOptOuts = "", copyTables = ""] = code("sh");
  const [toSend = "", toRead = "", findRuns = "", forget = ""] = code("sql");
  const asRole = (record: string, username: string) => String(Object.assign(new URL(record), { username }));

  /** Runs a script of the page with databases of ours, in a folder that has `sms`. */
  const shell = (script: string, databases: Readonly<Record<string, string>>) => {
    const home = temporaryFolder();
    writeFileSync(join(home, "sms"), `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`, { mode: 0o755 });
    const here = script.replaceAll(/postgres:\/\/(\w+)@db\.example\/(\w+)/g, (_, user: string, name: string) =>
      asRole(databases[name] ?? "", user === "owner" ? "sms" : user),
    );
    const env = { HOME: home, LC_ALL: "C.UTF-8", PATH: `${home}${delimiter}${process.env["PATH"]}` };
    return spawnSync("sh", ["-ec", here], { cwd: home, env, encoding: "utf8" });
  };
  const newRecord = () => {
    const record = postgres.newRecord();
    postgres.sql(record, toSend + toRead);
    return record;
  };
  /** A service that counts, and how a machine that has sent nothing yet uses it. */
  const withService = async () => {
    const { url, counts } = await startCountingServer(0);
    const run = (record: string, args: readonly string[], stdin = "") =>
      runSms(args, { env: { SMS_BASE_URL: url, SMS_API_KEY: "sk_live_abc", SMS_RECORD: record }, stdin });
    return { counts, run };
  };
  const list = ["send", "-r", "-", "-m", "Hi", "--run", "topup", "--yes"];

  beforeAll(() => postgres.sql("postgres", "create role sender login; create role reader login"));

  it("sets a record up, and its job that runs on two machines which are thrown away sends once", () => {
    const sms = postgres.newRecord("nothing");
    expect(shell(setUp, { sms })).toMatchObject({ status: 0 });
    postgres.sql(sms, toSend);
    const all = "optout list --quiet";
    const moved = `sms optout add +254712345670\n${moveOptOuts}\nSMS_RECORD=postgres://sender@db.example/sms sms ${all}`;
    expect(shell(moved, { sms })).toMatchObject({ status: 0, stdout: expect.stringMatching(/\n\+254712345670\n$/) });
    const { env, steps } = parse(code("yaml").join("")) as { env: Record<string, string>; steps: { run: string }[] };
    const job = `export SMS_RECORD=${env["SMS_RECORD"]} GITHUB_SHA=c0ffee\n${steps.map(({ run }) => run).join("\n")}`;
    const runners = ["one", "two"].map((name) => `mkdir ${name}; HOME=$PWD/${name} sh -e job.sh >${name}.txt`);
    const twice = shell(
      `cat >job.sh <<'END'\n${job}\nEND
      sms sandbox exec --expect-messages 1 -- sh -ec '${runners.join("\n")}'
      cat one.txt; grep -q 'Nothing was sent now' two.txt; grep '  Message ' one.txt two.txt | cut -d: -f2 | uniq | wc -l`,
      { sms },
    );

    expect(twice).toMatchObject({ status: 0, stdout: expect.stringMatching(/\n1\n$/) });
  });

  it("lets a reader look, and sends nothing for it", async () => {
    const { counts, run } = await withService();
    const record = newRecord();
    await run(record, list, to);
    counts.clear();
    const looks = ["record", "runs list", "runs show topup", "runs export topup", "history", "spend", "optout list"];
    const changes = [
      `send --to ${to} -m Hi`,
      `send --to ${to} -m Hi --once a`,
      `notify --to ${to} -m Hi -- true`,
      `watch --to ${to}`,
      "send -r - -m Ho --yes",
      "runs resume topup --retry uncertain --yes",
      "runs remove topup --yes",
      `optout add ${to}`,
      "history --prune 1d",
    ];
    const ended = await Promise.all(
      [...looks, ...changes].map(async (words) => {
        const { code: exit, stderr } = await run(asRole(record, "reader"), words.split(" "), `${to}\n`);
        return [words, exit, stderr.includes("this user has no right to do that")];
      }),
    );

    expect(ended).toEqual([...looks.map((words) => [words, 0, false]), ...changes.map((words) => [words, 2, true])]);
    expect(counts.size).toBe(0);
    expect((await run(asRole(record, "reader"), ["record", "--json"])).stdout).toContain('"isWritable":false');
    expect((await run(asRole(record, "reader"), ["status", "--check"])).stdout).toContain("this user has no right");
  });

  it("restores a copy whose runs go on once somebody has looked, and whose keys are used up", async () => {
    const { counts, run } = await withService();
    const [sms, spare] = [newRecord(), postgres.newRecord("nothing")];
    const once = ["send", "--to", to, "-m", "Hi", "--once", "a"];
    await run(sms, list, to);
    await run(sms, once);
    expect(shell(copyTables, { sms, spare })).toMatchObject({ status: 0 });
    const restored = asRole(spare, "sender");
    const resume = ["runs", "resume", "topup", "--yes", "--json"];
    const refusal = await run(restored, resume);

    expect([refusal.code, JSON.parse(refusal.stderr)]).toMatchObject([2, { errorCode: "RECORD_REPLACED" }]);
    expect((await run(restored, ["runs", "unlock", "topup", "--yes"])).code).toBe(0);
    expect((await run(restored, resume)).code).toBe(0);
    expect((await run(restored, once)).stdout).toContain("Nothing was sent now");
    expect([...counts.values()]).toEqual([2]);
  });

  it("forgets a person, but for the opt-out", async () => {
    const { run } = await withService();
    const record = newRecord();
    const sql = (text: string) => postgres.sql(record, text);
    await run(record, list, `${to}\n+254712345679`);
    await run(record, ["send", "--to", to, "-m", "Hi", "--once", "a"]);
    await run(record, ["optout", "add", to]);
    const runs = sql(findRuns).split("\n");
    expect(runs).toEqual(["topup"]);
    for (const name of runs) await run(record, ["runs", "remove", name, "--yes"]);
    sql(forget);
    const tables = sql("select relname from pg_class where relnamespace = 'sms'::regnamespace and relkind = 'r'");
    const having = (text: string) =>
      tables.split("\n").filter((table) => sql(`select t::text from sms.${table} t`).includes(text));

    expect(having(to.slice(1))).toEqual(["opt_outs"]);
    expect(having("254712345679")).toEqual(["history"]);
  });
});
