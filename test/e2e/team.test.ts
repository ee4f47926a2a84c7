import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCountingServer } from "../support/counting-server.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { drawing, seed } from "../support/seed.ts";
import { testKey } from "../support/scripted-run.ts";
import { lastJson, runSms, startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

type Env = Readonly<Record<string, string>>;

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `+254712${String(300_000 + index)}`);
}

describe("a record that machines share", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
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
    postgres.sql(new URL(record).pathname.slice(1), "update sms.runs set seen = now() - interval '1 hour'");
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
