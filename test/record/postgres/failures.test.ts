import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { testKey } from "../../support/scripted-run.ts";
import { type Script, startScriptedServer } from "../../support/scripted-server.ts";
import { accept } from "../../support/scripts.ts";
import { runSms } from "../../support/sms.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

const send = ["send", "--to", "+254712345678", "--message", "Hi", "--json"];

async function service(onRequest: Script = accept()) {
  const server = await startScriptedServer({ onRequest });
  onTestFinished(() => server.close());
  return server;
}

describe("a record that cannot be used", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const urlAt = (port: number) => postgres.newRecord().replace(`:${postgres.port}/`, `:${port}/`);
  const databaseOf = (url: string) => new URL(url).pathname.slice(1);

  /** Sends one message, and expects that nothing was sent. */
  async function refused(url: string, env: Readonly<Record<string, string>> = {}) {
    const { url: base, requests } = await service();
    const ended = await runSms(send, { env: { SMS_BASE_URL: base, ...testKey, SMS_RECORD: url, ...env } });
    expect([ended.code, ended.stdout, requests.length]).toEqual([2, "", 0]);
    expect(ended.ms).toBeLessThan(14_000);
    const { errorCode, error, outcome } = JSON.parse(ended.stderr) as Record<string, string>;
    expect(outcome).toBe("unsent");
    return `${errorCode}: ${error}`;
  }

  it.each<[string, (url: string) => string | Promise<string>, string]>([
    ["nothing that listens", (url) => url.replace(/:\d+\//, ":1/"), "nothing listens there"],
    ["no such database", (url) => `${url}x`, "there is no such database"],
    ["a wrong password", (url) => url.replace("sms@", "guest:wrong-1@"), "the password is wrong"],
    ["no rights", (url) => url.replace("sms@", "guest:secret@"), "this user has no right to do that"],
    ["TLS where there is none", (url) => `${url}?sslmode=verify-full`, "does not support SSL"],
    [
      "a server that never answers",
      async (url) => {
        const proxy = await startTcpProxy(postgres.port);
        proxy.swallow();
        return url.replace(/:\d+\//, `:${proxy.port}/`);
      },
      "it does not answer",
    ],
    [
      "a server that breaks off",
      async (url) => {
        const proxy = await startTcpProxy(postgres.port);
        proxy.cut();
        return url.replace(/:\d+\//, `:${proxy.port}/`);
      },
      "Connection terminated",
    ],
    [
      "a pooler in between",
      async (url) => {
        // A pooler has ids of its own for the sessions that it serves.
        const proxy = await startTcpProxy(postgres.port, (bytes) => {
          const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
          if (key >= 0) bytes.writeUInt32BE(7, key + 5);
          return bytes;
        });
        return url.replace(/:\d+\//, `:${proxy.port}/`);
      },
      "there is a pooler",
    ],
    [
      "a database that is read-only",
      (url) => {
        postgres.sql("postgres", `alter database ${databaseOf(url)} set default_transaction_read_only = on`);
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
    postgres.sql(databaseOf(url), "update sms.record set version = 99");
    expect(await refused(url)).toMatch(/^RECORD_FORM: .* has newer tables/);
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

  it("after a message was accepted is a warning", async () => {
    const proxy = await startTcpProxy(postgres.port);
    const { url } = await service((...received) => {
      proxy.cut();
      accept()(...received);
    });
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: urlAt(proxy.port) };
    const { code, stdout } = await runSms(send, { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/"messageId":"msg_0001".*this message is not in the history/);
  });

  it("in mid-run ends the run, which another machine resumes", async () => {
    const proxy = await startTcpProxy(postgres.port);
    const counts = new Map<string, number>();
    const { url } = await service((socket, request, index) => {
      const { to } = JSON.parse(request.body) as { to: string };
      counts.set(to, (counts.get(to) ?? 0) + 1);
      if (index === 20) proxy.cut();
      accept({ messageId: to })(socket, request, index);
    });
    const record = urlAt(proxy.port);
    const list = Array.from({ length: 60 }, (_, index) => `+2547123456${String(index + 10)}`);
    const env = { SMS_BASE_URL: url, ...testKey };
    const first = await runSms(["send", "-r", "-", "-m", "Hi", "--run", "a", "--rate", "100000", "--yes", "--json"], {
      env: { ...env, SMS_RECORD: record },
      stdin: list.join("\n"),
    });
    expect(first.code).toBe(11);
    expect(first.stderr).toContain("RUN_NOT_RECORDED");
    const direct = { ...env, SMS_RECORD: record.replace(/:\d+\//, `:${postgres.port}/`) };
    const second = await runSms(["runs", "resume", "a", "--yes", "--json", "--rate", "100000"], { env: direct });
    const summary = JSON.parse(second.stdout.trim().split("\n").at(-1) ?? "") as Record<string, number>;
    expect([summary["pending"], summary["unsent"], summary["rejected"]]).toEqual([0, 0, 0]);
    expect((summary["accepted"] ?? 0) + (summary["uncertain"] ?? 0)).toBe(60);
    // What was in flight, or about to be, is uncertain and is not sent again.
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    expect(60 - counts.size).toBeLessThanOrEqual(summary["uncertain"] ?? 0);
  });
});
