import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { drafts } from "../../sending/running.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { testKey } from "../../support/scripted-run.ts";
import { startScriptedServer } from "../../support/scripted-server.ts";
import { accept } from "../../support/scripts.ts";
import { runSms } from "../../support/sms.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { openAt } from "../place.ts";
import { beginRun, planRun } from "../runs-suite.ts";
import { accepted, claimKey, entryAt, onceKey as key, useOf } from "../samples.ts";

describe("a record whose connection has ended", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const endings: Readonly<Record<string, (url: string) => void | Promise<void>>> = {
    pg_terminate_backend: postgres.breakConnections,
    "a restart": async () => {
      await postgres.stop("fast");
      await postgres.start();
    },
    idle_session_timeout: async (url) => {
      postgres.sql("postgres", `alter database ${postgres.databaseOf(url)} set idle_session_timeout = 100`);
      await setTimeout(400);
    },
  };

  const begin = async (url: string, name = "a", messages = drafts(2), pid = process.pid) =>
    (await beginRun(await openAt(url, pid).runs(), name, messages)).ownRun;

  it.each(Object.entries(endings))("by %s is reached again, as long as no statement is on its way", async (_, end) => {
    const url = postgres.newRecord();
    if (end === endings["idle_session_timeout"]) await end(url);
    const record = openAt(url);
    const [optOuts, history] = [await record.optOuts(), await record.history()];
    await optOuts.add([{ to: "+254712345678", at: "2026-01-01T00:00:00.000Z" }]);
    const numbers = await optOuts.numbers();
    await end(url);
    await history.append(entryAt(1));
    expect((await numbers.renew()).size).toBe(1);
    await end(url);
    await optOuts.remove(["+254712345678"]);
    expect((await numbers.renew()).size).toBe(0);
  });

  it.each(Object.entries(endings).slice(0, 2))(
    "by %s leaves a key of --once and a run to who had them",
    async (_, end) => {
      const url = postgres.newRecord();
      const claimed = await claimKey(await openAt(url).once());
      const writer = await (await begin(url)).openWriter();
      await writer.record({ kind: "intent", indexes: [0, 1] }, 0);
      await writer.record({ kind: "withdrawn", indexes: [0] }, 0);
      await writer.record({ kind: "accepted", index: 1, receipt: { messageId: "msg_1" } }, 0);
      await end(url);
      await claimed.intend();
      await writer.record({ kind: "intent", indexes: [0] }, 1);
      // The key and the run are ours again.
      const [once, runs] = [await openAt(url, 4711).once(), await openAt(url, 4711).runs()];
      await expect(once.claim(key, useOf(), 0)).rejects.toMatchObject({ errorCode: "LOCKED" });
      await expect(runs.open("a")).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
      await claimed.settle(accepted("msg_1"));
      await claimed.release();
      expect(await once.find(key, useOf())).toMatchObject({ outcome: accepted("msg_1") });
    },
  );

  it.each([
    ["some of its messages", drafts(3).slice(1), { reason: { errorCode: "RUN_NOT_RECORDED" } }],
    ["none of them", drafts(3).slice(2), { status: "fulfilled" }],
  ])("stops a run if another one has begun since with %s", async (_, sent, expected) => {
    const url = postgres.newRecord();
    const writer = await (await begin(url)).openWriter();
    postgres.breakConnections(url);
    await begin(url, "b", sent, 4711);
    const [ended] = await Promise.allSettled([writer.record({ kind: "intent", indexes: [0] }, 1)]);
    expect(ended).toMatchObject(expected);
  });

  it("begins no run whose turn it was", async () => {
    const url = postgres.newRecord();
    const runs = await openAt(url).runs();
    const { ownRun, header } = await planRun(runs);
    const beginning = runs.alone(async () => {
      postgres.breakConnections(url);
      await ownRun.begin(header);
    });
    await expect(beginning).rejects.toMatchObject({ errorCode: "RUN_NOT_RECORDED" });
    expect(await runs.read("a")).toBeUndefined();
  });

  it("leaves both to whoever has taken them since", async () => {
    const url = postgres.newRecord();
    const claimed = await claimKey(await openAt(url).once());
    const writer = await (await begin(url)).openWriter();
    postgres.breakConnections(url);
    const other = openAt(url, 4711);
    await (await other.once()).claim(key, useOf(), 0);
    await (await other.runs()).open("a");
    await expect(claimed.intend()).rejects.toMatchObject({ errorCode: "LOCKED" });
    const lost = { errorCode: "RUN_NOT_RECORDED", message: expect.stringMatching(/^cannot record run a: another/) };
    await expect(writer.record({ kind: "intent", indexes: [0] }, 1)).rejects.toMatchObject(lost);
  });

  it("changes nothing of a key that another command has taken after the pause", async () => {
    const url = postgres.newRecord();
    const paused = { ...key, pauseMs: 0 };
    const first = await claimKey(await openAt(url).once(), paused);
    await first.intend();
    postgres.breakConnections(url);
    const other = await openAt(url, 4711).once();
    const second = await claimKey(other, paused);

    await first.release();
    await second.intend();
    const changes = [first.withdraw(), first.settle(accepted("msg_1"))];

    const locked = { status: "rejected", reason: expect.objectContaining({ errorCode: "LOCKED" }) };
    expect(await Promise.allSettled(changes)).toEqual([locked, locked]);
    expect(await other.find(key, useOf())).toMatchObject({ outcome: { kind: "uncertain" } });
  });

  it("without a word, in a firewall that forgot it, is reached again", { timeout: 60_000 }, async () => {
    const proxy = await startTcpProxy(postgres.port);
    const history = await openAt(postgres.newRecord().replace(`:${postgres.port}/`, `:${proxy.port}/`)).history();
    await history.append(entryAt(1));
    proxy.forget();
    // What is asked within seconds of an answer relies on the connection.
    await setTimeout(5500);
    await expect(history.append(entryAt(2))).resolves.toBeUndefined();
  });

  it("while a command ran takes no text", async () => {
    const server = await startScriptedServer({ onRequest: accept() });
    const end = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'sms'";
    const psql = ["psql", "-h", "127.0.0.1", "-p", String(postgres.port), "-U", "postgres", "-qc", end];
    const path = process.env["PATH"] ?? "";
    const env = { SMS_BASE_URL: server.url, ...testKey, SMS_RECORD: postgres.newRecord(), PATH: path };
    const { code, stderr } = await runSms(["notify", "--to", "+254712345678", "--once", "a", "--", ...psql], { env });
    expect([code, stderr, server.requests.length]).toEqual([0, expect.not.stringContaining("RECORD"), 1]);
  });
});
