import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { numbers } from "../commands/with-runs.ts";
import { startCountingServer } from "../support/counting-server.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { drawing, seed } from "../support/seed.ts";
import { testKey } from "../support/scripted-run.ts";
import { lastJson, runSms, startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

type Env = Readonly<Record<string, string>>;

describe("a record that machines share", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres({ listen_addresses: "*" });
  const draw = drawing(seed);

  it("has the texts of a watch, and keeps those from numbers that opted out on another machine", async () => {
    const { url, counts } = await startCountingServer(3);
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: postgres.newRecord() };
    await runSms(["optout", "add", "+254712345679"], { env });
    const to = ["--to", "+254712345678", "--to", "+254712345679"];
    const { code } = await runSms(["watch", ...to, "--json"], { env, stdin: "ERROR a 1\nERROR b 2\nERROR b 3\n" });
    const { stdout } = await runSms(["history", "--json"], { env });
    const sent = (JSON.parse(stdout) as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome);

    expect([code, [...counts.values()], sent]).toEqual([0, [2], ["accepted", "accepted"]]);
  });

  /** Sends a run while the server goes three times and the machine twice, and returns its summary. */
  async function sendInStorm(name: string, size: number, env: Env, counts: ReadonlyMap<string, number>) {
    const fast = ["--rate", "100000", "--yes", "--json"];
    let args = ["send", "-r", "-", "-m", name, "--run", name, ...fast];
    let stdin = numbers(size).join("\n");
    for (const fails of ["machine", "server", "machine", "server", "server"]) {
      const goal = sum(counts) + draw(25);
      const { child, ended } = startSms(args, { env, stdin });
      while (sum(counts) < goal && child.exitCode === null) await setTimeout(2);
      if (fails === "server") {
        await postgres.stop("immediate");
        await postgres.start();
      } else child.kill("SIGKILL");
      await ended;
      // A run that was killed before it began is begun again.
      if (counts.size === 0) continue;
      args = ["runs", "resume", name, ...fast];
      stdin = "";
    }
    return lastJson((await runSms(args, { env })).stdout);
  }

  it(
    "has nobody texted twice or missed by runs that are killed on one machine and resumed on another, over restarts",
    { timeout: 3_600_000 },
    async () => {
      const { url, counts } = await startCountingServer(3);
      const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: postgres.newRecord() };
      const size = 150;

      for (let run = 0; run < trials("TEAM_RUNS", 1, 5); run++) {
        counts.clear();
        const { accepted, uncertain, pending, unsent, rejected } = await sendInStorm(`storm-${run}`, size, env, counts);

        expect({ pending, unsent, rejected }).toEqual({ pending: 0, unsent: 0, rejected: 0 });
        expect(accepted + uncertain).toBe(size);
        expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
        expect(size - counts.size).toBeLessThanOrEqual(uncertain);
      }
    },
  );

  it(
    "has a run that one resumes whose machine vanished, once the database knows",
    needs("network namespaces"),
    async () => {
      const { here, command, vanish } = machineOnCable();
      const { url, counts } = await startCountingServer(5, here);
      const record = `${postgres.newRecord().replace("127.0.0.1", here)}?sslmode=disable`;
      const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: record };
      const send = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--rate", "1200", "--yes"];
      const resume = ["runs", "resume", "a", "--rate", "100000", "--yes"];
      const { child } = startSms(send, { env, stdin: numbers(400).join("\n"), through: command });
      while (counts.size < 20) await setTimeout(5);

      vanish();
      const vanished = performance.now();
      expect(await runSms(resume, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("on run a") });
      // Its owner has to be missed first.
      const isMissed = () => postgres.sql(record, "select now() - seen > interval '12.5 seconds' from sms.runs");
      await expect.poll(isMissed, { timeout: 30_000, interval: 500 }).toBe("t");
      const { code, stderr } = await startSms(resume, { env, stdin: "" }).ended;
      child.kill("SIGKILL");

      expect(performance.now() - vanished).toBeLessThan(75_000);
      expect(stderr.replaceAll(/\s+/g, " ")).toContain("waiting until the database knows whether it is gone");
      expect([0, 11]).toContain(code);
      expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    },
  );

  it("has a stopped owner send no more than it had recorded once unlocked", needs("POSIX shell"), async () => {
    const { url, counts } = await startCountingServer(5);
    const record = postgres.newRecord();
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: record };
    const size = 60;
    const start = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--rate", "300", "--yes", "--json"];
    const first = startSms(start, { env, stdin: numbers(size).join("\n") });
    while (sum(counts) < 5) await setTimeout(5);
    first.child.kill("SIGSTOP");

    const busy = await runSms(["runs", "unlock", "a", "--yes", "--json"], { env });
    expect({ code: busy.code, ...JSON.parse(busy.stderr) }).toMatchObject({ code: 2, errorCode: "RUN_BUSY" });
    // As if it had said nothing for an hour.
    postgres.sql(record, "update sms.runs set seen = now() - interval '1 hour'");
    expect(await runSms(["runs", "unlock", "a", "--yes"], { env })).toMatchObject({ code: 0 });
    const next = await runSms(["runs", "resume", "a", "--rate", "100000", "--yes", "--json"], { env });
    const before = sum(counts);
    first.child.kill("SIGCONT");

    expect(await first.ended).toMatchObject({ code: 11, stderr: expect.stringContaining("RUN_NOT_RECORDED") });
    expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
    // What the first was about to send is uncertain to the next owner.
    const { uncertain } = lastJson(next.stdout);

    expect(sum(counts) - before).toBeLessThanOrEqual(uncertain);
    expect(size - counts.size).toBeLessThanOrEqual(uncertain);
  });
});

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** A machine of its own, the address under which it sees this machine, and what pulls its cable. */
function machineOnCable() {
  const ip = (line: string) => execFileSync("ip", line.split(" "));
  // Other tests of this machine have other process ids.
  const network = `10.${(process.pid >> 8) & 0xff}.${process.pid & 0xff}`;
  const [name, cable] = [`sms${process.pid}`, `v${process.pid}`];
  ip(`netns add ${name}`);
  onTestFinished(() => void ip(`netns del ${name}`));
  ip(`link add ${cable} type veth peer name eth0 netns ${name}`);
  ip(`address add ${network}.1/30 dev ${cable}`);
  ip(`link set ${cable} up`);
  ip(`-n ${name} address add ${network}.2/30 dev eth0`);
  for (const device of ["eth0", "lo"]) ip(`-n ${name} link set ${device} up`);
  const command = ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', name];
  return { here: `${network}.1`, command, vanish: () => void ip(`link set ${cable} down`) };
}
