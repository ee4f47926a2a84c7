import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecordAddress } from "../../../src/record/postgres/address.ts";
import { openDatabase } from "../../../src/record/postgres/database.ts";
import { migrations } from "../../../src/record/postgres/migrations.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { selfSigned } from "../../support/certificates.ts";
import { startCountingServer } from "../../support/counting-server.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { testKey } from "../../support/scripted-run.ts";
import { type Script, startScriptedServer } from "../../support/scripted-server.ts";
import { accept } from "../../support/scripts.ts";
import { lastJson, runSms } from "../../support/sms.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

const send = ["send", "--to", "+254712345678", "--message", "Hi", "--json"];

const service = (onRequest: Script = accept()) => startScriptedServer({ onRequest });

describe("a record that cannot be used", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const through = (port: number, url = postgres.newRecord()) => url.replace(/:\d+\//, `:${port}/`);
  /** The URL of a server that does this to its connections. */
  const behind = (fault: "swallow" | "cut") => async (url: string) => {
    const proxy = await startTcpProxy(postgres.port);
    proxy[fault]();
    return through(proxy.port, url);
  };

  /** Sends one message, and expects that nothing was sent. */
  async function refused(url: string, env: Readonly<Record<string, string>> = {}) {
    const { url: base, requests } = await service();
    const ended = await runSms(send, { env: { SMS_BASE_URL: base, ...testKey, SMS_RECORD: url, ...env } });
    expect([ended.code, ended.stdout, requests.length]).toEqual([2, "", 0]);
    // It waits 10 seconds for a connection, and 30 for an answer.
    expect(ended.ms).toBeLessThan(28_000);
    const { errorCode, error, outcome } = JSON.parse(ended.stderr) as Record<string, string>;
    expect(outcome).toBe("unsent");
    return `${errorCode}: ${error}`;
  }

  it.each<[string, (url: string) => string | Promise<string>, string]>([
    ["nothing that listens", (url) => through(1, url), "nothing listens there"],
    ["no such database", (url) => `${url}x`, "there is no such database"],
    ["a wrong password", (url) => url.replace("sms@", "guest:wrong-1@"), "the password is wrong"],
    ["no rights", (url) => url.replace("sms@", "guest:secret@"), "this user has no right to do that"],
    ["TLS where there is none", (url) => `${url}?sslmode=verify-full`, "it does not speak TLS"],
    ["a server that never answers", behind("swallow"), "it does not answer"],
    ["a server that breaks off", behind("cut"), "the connection broke"],
    [
      "a pooler in between",
      async (url) => {
        // A pooler has ids of its own for the sessions that it serves.
        const proxy = await startTcpProxy(postgres.port, (bytes) => {
          const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
          if (key >= 0) bytes.writeUInt32BE(7, key + 5);
          return bytes;
        });
        return through(proxy.port, url);
      },
      "there is a pooler",
    ],
    [
      "a role that has all the connections that it may",
      (url) => {
        postgres.sql("postgres", "create role crowd login connection limit 0");
        return url.replace("sms@", "crowd@");
      },
      "it has too many connections",
    ],
    [
      "a database that is read-only",
      (url) => {
        postgres.sql("postgres", `alter database ${postgres.databaseOf(url)} set default_transaction_read_only = on`);
        return url;
      },
      "it is read-only",
    ],
  ])("by %s stops a send before anything is sent", async (_, change, why) => {
    const said = await refused(await change(postgres.newRecord()));
    expect(said).toContain("RECORD_UNAVAILABLE: ");
    expect(said).toContain(why);
    expect(said).not.toMatch(/wrong-1|secret/);
  });

  it("has no tables, or older or newer ones", async () => {
    expect(await refused(postgres.newRecord("nothing"))).toMatch(/^RECORD_FORM: .* has no tables yet/);
    const url = postgres.newRecord();
    postgres.sql(url, "update sms.record set version = 99");
    expect(await refused(url)).toMatch(/^RECORD_FORM: .* has newer tables/);
    // The first version is the oldest.
    postgres.sql(url, `update sms.record set version = ${migrations.length - 1}`);
    expect(await refused(url)).toMatch(migrations.length > 1 ? / has older tables/ : / has no tables yet/);
  });

  it("is refused by its address without a word of the password in it", async () => {
    for (const url of [
      "mysql://a:pass-word-1@b/c",
      "postgres://:pass-word-1@b/c",
      "postgres://a:pass-word-1@b/c?x=1",
    ]) {
      const said = await refused(url);
      expect(said).toContain("INVALID_RECORD: ");
      expect(said).not.toContain("pass-word-1");
    }
  });

  /** Has the server speak TLS, with a certificate for localhost that it signed itself. */
  function useTls() {
    const folder = temporaryFolder();
    const { key, cert } = selfSigned({ names: ["localhost"] });
    const authority = join(folder, "ca.pem");
    writeFileSync(authority, cert);
    for (const [name, text] of Object.entries({ "server.key": key, "server.crt": cert })) {
      postgres.sql(
        "postgres",
        `copy (select regexp_split_to_table('${text.trim()}', '\\n')) to program 'umask 077; cat > ${name}'`,
      );
    }
    postgres.set("ssl = on");
    const url = postgres.newRecord();
    return { folder, authority, url, named: url.replace("127.0.0.1", "localhost") };
  }

  it("by its certificate stops a send, unless that is of a known authority and for this host", async () => {
    const { folder, authority, url, named } = useTls();
    expect(await refused(`${named}?sslmode=verify-full`)).toContain("an authority that this machine does not trust");
    expect(await refused(`${named}?sslmode=verify-ca`)).toContain("an authority that this machine does not trust");
    expect(await refused(`${url}?sslmode=verify-full&sslrootcert=${authority}`)).toContain("for another host");
    expect(await refused(`${url}?sslmode=prefer`)).toContain("its sslmode is none of disable, require, verify-ca");
    expect(await refused(`${url}?sslmode=require&sslrootcert=${folder}/x`)).toMatch(/^INVALID_RECORD: .*sslrootcert/);
    postgres.sql("postgres", "create role secured login in role sms");
    for (const [address, rest] of [
      [named, `verify-full&sslrootcert=${authority}`],
      [url, `verify-ca&sslrootcert=${authority}`],
      [url, "require"],
    ] as const) {
      const database = openDatabase(readRecordAddress(`${address}?sslmode=${rest}`), 1);
      expect(await database.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()")).toEqual([{ ssl: true }]);
      await database.close();
    }
    // By the program itself, which ends once it has sent.
    const { url: base } = await service();
    const env = { SMS_BASE_URL: base, ...testKey, SMS_RECORD: `${named}?sslmode=verify-full&sslrootcert=${authority}` };
    expect(await runSms([...send, "--once", "a"], { env })).toMatchObject({ code: 0, stderr: "" });
    const again = await runSms([...send, "--once", "a"], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ replayed: true });
  });

  it("is opened with the password of PGPASSFILE, of ~/.pgpass or of PGPASSWORD", async () => {
    const url = postgres.newRecord().replace("sms@", "guest@");
    const folder = temporaryFolder();
    const file = join(folder, ".pgpass");
    for (const [line, why, mode = 0o600] of [
      ["127.0.0.1:*:*:guest:wrong-1", "the password is wrong"],
      ["127.0.0.1:*:*:gu\\est:sec\\ret", "this user has no right to do that"],
      ["127.0.0.1:*:*:other:secret", "it asks for a password"],
      ["127.0.0.1:*:*:guest:secret", "it asks for a password", 0o644],
    ] as const) {
      writeFileSync(file, `# ours\nother:*:*:guest:x\n${line}\n`);
      chmodSync(file, mode);
      expect(await refused(url, { PGPASSFILE: file })).toContain(why);
    }
    chmodSync(file, 0o600);
    for (const env of [{ HOME: folder }, { PGPASSWORD: "secret" }] as readonly Readonly<Record<string, string>>[])
      expect(await refused(url, env)).toContain("this user has no right to do that");
  });

  it("is used for longer, and more safely, than its role has it", async () => {
    const url = postgres.newRecord();
    postgres.sql("postgres", "create role hurried login in role sms");
    postgres.sql("postgres", "alter role hurried set statement_timeout = 200");
    postgres.sql("postgres", "alter role hurried set synchronous_commit = off");
    const database = openDatabase(readRecordAddress(url.replace("sms@", "hurried@")), 1);
    await database.query("select pg_sleep(0.3)");
    expect(await database.query("show synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
    expect(await database.query("show tcp_user_timeout")).toEqual([{ tcp_user_timeout: "45000" }]);
    expect(await database.query("show tcp_keepalives_idle")).toEqual([{ tcp_keepalives_idle: "20" }]);
    await database.close();
  });

  it("is closed within a moment by a command whose network carries nothing any more", async () => {
    const proxy = await startTcpProxy(postgres.port);
    const database = openDatabase(readRecordAddress(through(proxy.port)), 1);
    await database.query("select 1");
    proxy.swallow();
    const began = performance.now();
    await database.close();
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it("after a message was accepted is a warning", async () => {
    const proxy = await startTcpProxy(postgres.port);
    const { url } = await service((...received) => {
      proxy.cut();
      accept()(...received);
    });
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: through(proxy.port) };
    const { code, stdout } = await runSms(send, { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/"messageId":"msg_0001".*this message is not in the history/);
  });

  const run = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--yes", "--json"];

  /** Starts a run that fails after 20 requests, and lets another machine resume it. */
  async function failsInMidRun(
    record: string,
    fail: () => void | Promise<void>,
    rate: string,
    mend: () => void | Promise<void> = () => {},
    rows = 60,
  ) {
    const list = Array.from({ length: rows }, (_, index) => `+254712345${String(index).padStart(3, "0")}`);
    let failed = 0;
    let after = 0;
    let failing: void | Promise<void>;
    const { url, counts } = await startCountingServer((index) => {
      if (failed > 0) after++;
      if (index === 20) {
        failed = performance.now();
        failing = fail();
      }
      return failing;
    });
    const env = { SMS_BASE_URL: url, ...testKey };
    const options = { stdin: list.join("\n"), boundMs: 120_000 };
    const first = await runSms([...run, "--rate", rate], { env: { ...env, SMS_RECORD: record }, ...options });
    const ended = { code: first.code, error: first.stderr, ms: performance.now() - failed, after };
    await mend();
    const direct = { ...env, SMS_RECORD: through(postgres.port, record) };
    const second = await runSms(["runs", "resume", "a", "--yes", "--json", "--rate", "100000"], { env: direct });
    const { accepted, uncertain, ...others } = lastJson(second.stdout);
    expect(others).toMatchObject({ pending: 0, unsent: 0, rejected: 0 });
    expect(accepted + uncertain).toBe(rows);
    // What was in flight, or about to be, is uncertain and is not sent again.
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    expect(rows - counts.size).toBeLessThanOrEqual(uncertain);
    expect(ended.code).toBe(11);
    expect(ended.error).toContain("RUN_NOT_RECORDED");
    return ended;
  }

  it("in mid-run ends the run, which another machine resumes", async () => {
    const proxy = await startTcpProxy(postgres.port);
    const ended = await failsInMidRun(through(proxy.port), proxy.cut, "100000");
    expect(ended.error).toContain("the connection broke");
  });

  it("as its disk is full ends the run", needs("root", "mount namespaces"), async () => {
    const folder = mkdtempSync("/tmp/sms-full-");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=12m,mode=0777", "tmpfs", folder]);
    const filler = join(folder, "filler");
    try {
      const record = postgres.newRecord();
      const place = `${folder}/space`;
      postgres.sql("postgres", `copy (select 1) to program 'cat > /dev/null; mkdir -m 700 ${place}'`);
      postgres.sql("postgres", `create tablespace small location '${place}'`);
      postgres.sql("postgres", `alter database ${postgres.databaseOf(record)} set tablespace small`);
      // Takes what is left, but for a page or two of each table, which some hundred messages fill.
      const fill = () => {
        try {
          writeFileSync(filler, Buffer.alloc(12_000_000));
        } catch {
          // It is full.
        }
      };
      const ended = await failsInMidRun(record, fill, "100000", () => rmSync(filler), 600);
      expect(ended.error).toContain("its disk is full");
      postgres.sql("postgres", `drop database ${postgres.databaseOf(record)} with (force)`);
      postgres.sql("postgres", "drop tablespace small");
    } finally {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true });
    }
  });

  it.each<
    [string, (record: string) => Promise<readonly [record: string, fail: () => void, mend?: () => void]>, string]
  >([
    [
      "silent",
      async (record) => {
        const proxy = await startTcpProxy(postgres.port);
        return [through(proxy.port, record), proxy.swallow];
      },
      "it does not answer",
    ],
    [
      "slow",
      async (record) => [
        record,
        () =>
          postgres.sql(
            record,
            `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(100); return new; end';
            create trigger wait before insert on sms.journal for each row execute function wait()`,
          ),
        () => postgres.sql(record, "drop function wait cascade"),
      ],
      "it took too long",
    ],
  ])(
    "that is %s in mid-run ends the run once its time is over, what is in flight being awaited",
    async (_, change, why) => {
      const [record, fail, mend] = await change(postgres.newRecord());
      const ended = await failsInMidRun(record, fail, "6000", mend, 200);
      expect(ended.error).toContain(why);
      // An answer may take 30 seconds. The database itself is slow for 100.
      expect(ended.ms).toBeLessThan(70_000);
      // As many as may be in flight, of the 179 that are left.
      expect(ended.after).toBeLessThanOrEqual(64);
    },
  );
});
