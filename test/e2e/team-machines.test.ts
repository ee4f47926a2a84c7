import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCountingServer } from "../support/counting-server.ts";
import { ownFolder } from "../support/folders.ts";
import { startSms } from "../support/sms.ts";
import { needs } from "../support/needs.ts";
import { type NetworkMachine, useMachines } from "../support/network.ts";
import { usePostgres } from "../support/postgres.ts";
import { testKey } from "../support/scripted-run.ts";

const needed = needs("PostgreSQL", "CI to be set", "network namespaces");

describe("machines of a team", needed, () => {
  const postgres = usePostgres({ listen_addresses: "*" });
  const { machines, here } = useMachines(10, needed.skip);
  const newRecord = () => `${postgres.newRecord().replace("127.0.0.1", here)}?sslmode=disable`;

  async function service(latency: number) {
    const server = await startCountingServer(latency, here);
    return server;
  }

  function startOn(
    machine: NetworkMachine,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    stdin = "",
  ) {
    return startSms(args, { env: { ...ownFolder().env, ...testKey, ...env }, stdin, through: machine.command });
  }

  it("send one message for 20 racers with one key of --once", async () => {
    const { url, counts } = await service(200);
    const env = { SMS_BASE_URL: url, SMS_RECORD: newRecord() };
    const send = ["send", "--to", "+254712345678", "--message", "Hi", "--once", "deploy-1", "--json"];
    const ended = await Promise.all([...machines, ...machines].map((machine) => startOn(machine, send, env).ended));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, ""]));
    expect([...counts]).toEqual([["+254712345678", 1]]);
    const answers = ended.map(({ stdout }) => JSON.parse(stdout) as { messageId: string; replayed?: boolean });

    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
  });

  it("resume the run of one that vanished, and say that they wait until the database knows", async () => {
    const { url, counts } = await service(5);
    const record = newRecord();
    const database = new URL(record).pathname.slice(1);
    const env = { SMS_BASE_URL: url, SMS_RECORD: record };
    const list = Array.from({ length: 400 }, (_, index) => `+254712${String(300_000 + index)}`).join("\n");
    const [first, last] = [machines[1], machines.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no machine");
    const run = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--rate", "1200", "--yes"];
    const { child } = startOn(last, run, env, list);
    while (counts.size < 20) await setTimeout(5);
    last.vanish();
    const vanished = performance.now();
    const resume = ["runs", "resume", "a", "--rate", "100000", "--yes"];
    const early = await startOn(first, resume, env).ended;
    expect(early).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("works on run a"),
    });
    // Its owner has to be missed first.
    const isMissed = () => postgres.sql(database, "select now() - seen > interval '12.5 seconds' from sms.runs");
    await expect.poll(isMissed, { timeout: 30_000, interval: 500 }).toBe("t");
    const { code, stderr } = await startOn(first, resume, env).ended;
    expect(performance.now() - vanished).toBeLessThan(75_000);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("waiting until the database knows whether it is gone");
    expect([0, 11]).toContain(code);
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    child.kill("SIGKILL");
  });
});
