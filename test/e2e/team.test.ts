import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCountingServer } from "../support/counting-server.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { drawing, seed } from "../support/seed.ts";
import { testKey } from "../support/scripted-run.ts";
import { runSms, startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

async function service(latency: number) {
  const server = await startCountingServer(latency);
  return server;
}

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `+254712${String(300_000 + index)}`);
}

/** Starts the program on a machine of its own, as one that can be killed or stopped at any moment. */
function startOn(args: readonly string[], env: Readonly<Record<string, string>>, stdin = "") {
  const folder = temporaryFolder();
  return startSms(args, { env: { HOME: folder, ...foldersIn(folder), ...env }, stdin });
}

describe("a record that machines share", needs("PostgreSQL", "CI to be set"), () => {
  const postgres = usePostgres();
  const databaseOf = (url: string) => new URL(url).pathname.slice(1);

  it("has the texts of a watch, and keeps those from numbers that opted out on another machine", async () => {
    const { url, counts } = await service(3);
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: postgres.newRecord() };
    await runSms(["optout", "add", "+254712345679"], { env });
    const to = ["--to", "+254712345678", "--to", "+254712345679"];
    const { code } = await runSms(["watch", ...to, "--json"], { env, stdin: "ERROR a 1\nERROR b 2\nERROR b 3\n" });
    const { stdout } = await runSms(["history", "--json"], { env });
    const sent = (JSON.parse(stdout) as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome);
    expect([code, [...counts.values()], sent]).toEqual([0, [2], ["accepted", "accepted"]]);
  });

  it("has nobody texted twice or missed by runs that are killed on one machine and resumed on another, over restarts", async () => {
    const { url, counts } = await service(3);
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: postgres.newRecord() };
    const runs = trials("TEAM_RUNS", 1, 5);
    const draw = drawing(seed);
    const size = 150;
    for (let run = 0; run < runs; run++) {
      counts.clear();
      const list = numbers(size);
      const name = `storm-${run}`;
      let args = ["send", "-r", "-", "-m", name, "--run", name, "--rate", "100000", "--yes", "--json"];
      let stdin = list.join("\n");
      // The server goes three times, the machine twice.
      for (const fails of ["machine", "server", "machine", "server", "server"]) {
        const before = sum(counts);
        const { child, ended } = startOn(args, env, stdin);
        const goal = before + draw(25);
        while (sum(counts) < goal && child.exitCode === null) await setTimeout(2);
        if (fails === "server") {
          await postgres.stop("immediate");
          await postgres.start();
        } else child.kill("SIGKILL");
        await ended;
        // A run that was killed before it began is begun again.
        if (counts.size === 0) continue;
        args = ["runs", "resume", name, "--rate", "100000", "--yes", "--json"];
        stdin = "";
      }
      const last = await runSms(args, { env, boundMs: 60_000 });
      const summary = JSON.parse(last.stdout.trim().split("\n").at(-1) ?? "") as Record<string, number>;
      const { accepted = 0, uncertain = 0, pending = 0, unsent = 0, rejected = 0 } = summary;
      expect([pending, unsent, rejected, accepted + uncertain]).toEqual([0, 0, 0, size]);
      expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
      expect(size - counts.size).toBeLessThanOrEqual(uncertain);
    }
  }, 3_600_000);

  it("has a stopped holder send no more than it had recorded once unlocked", needs("POSIX shell"), async () => {
    const { url, counts } = await service(5);
    const record = postgres.newRecord();
    const env = { SMS_BASE_URL: url, ...testKey, SMS_RECORD: record };
    const start = ["send", "-r", "-", "-m", "Hi", "--run", "a", "--rate", "300", "--yes", "--json"];
    const first = startOn(start, env, numbers(60).join("\n"));
    while (sum(counts) < 5) await setTimeout(5);
    first.child.kill("SIGSTOP");
    const busy = await runSms(["runs", "unlock", "a", "--yes", "--json"], { env });
    expect([busy.code, JSON.parse(busy.stderr)]).toMatchObject([2, { errorCode: "RUN_BUSY" }]);
    // As if it had said nothing for an hour.
    postgres.sql(databaseOf(record), "update sms.runs set seen = now() - interval '1 hour'");
    expect(await runSms(["runs", "unlock", "a", "--yes"], { env })).toMatchObject({ code: 0 });
    const resumed = await runSms(["runs", "resume", "a", "--rate", "100000", "--yes", "--json"], { env });
    const { uncertain = 0 } = JSON.parse(resumed.stdout.trim().split("\n").at(-1) ?? "") as Record<string, number>;
    const before = sum(counts);
    first.child.kill("SIGCONT");
    await first.ended;
    expect(first.child.exitCode).toBe(11);
    expect(first.stderr()).toContain("RUN_NOT_RECORDED");
    expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
    // What it was about to send is uncertain to the next holder.
    expect(sum(counts) - before).toBeLessThanOrEqual(uncertain);
    expect(60 - counts.size).toBeLessThanOrEqual(uncertain);
  });
});

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
