import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fast } from "../commands/with-runs.ts";
import { drawing, seed } from "../support/seed.ts";
import { to, withHistory } from "./with-history.ts";

const { run, json, send, sendRun, balance, change, sendElsewhere, path } = withHistory();
const day = 24 * 60 * 60 * 1000;
const start = Date.parse("2026-11-01T00:00:00Z");

describe("sms spend", () => {
  it("agrees with the account over a random month of sends, runs, faults, top-ups and what others were charged", async () => {
    const draw = drawing(seed);
    await change({ credits: 100_000 });
    let toppedUp = 0;
    let foreign = 0;
    let now = start;
    const begun = await balance();
    const later = () => ({ now: (now += 1 + draw(day / 3)) });
    const number = () => `+2547123${String(draw(90_000) + 10_000)}`;
    const fault = () => `+254712000${["400", "402", "500", "503", "598", "200"][draw(6)]}`;
    const text = () => ["-m", "a".repeat(1 + draw(400))];
    // The first and the last balance are known, so that nothing is outside them.
    await send(["--to", number()], later());
    for (let step = 0; step < 24; step++) {
      // Each kind once, and then any.
      const what = [0, 5, 7, 9][step] ?? draw(10);
      if (what < 5) await send(["--to", draw(4) === 0 ? fault() : number(), ...text()], later());
      else if (what < 7) {
        const rows = Array.from({ length: 2 + draw(6) }, () => (draw(5) === 0 ? fault() : number()));
        writeFileSync(path("rows.txt"), rows.join("\n"));
        // A run waits for its pace, so its clock goes on.
        const { now: started } = later();
        const real = Date.now();
        const machine = { now: () => started + Date.now() - real };
        await sendRun(`run-${step}`, ["-r", path("rows.txt"), ...text()], machine);
        if (draw(2) === 0)
          await run(["runs", "resume", `run-${step}`, "--retry", "uncertain", "--yes", ...fast], machine);
        if (draw(3) === 0) await run(["runs", "remove", `run-${step}`, "--yes"], machine);
      } else if (what < 9) {
        const before = await balance();
        await sendElsewhere(1 + draw(5));
        foreign += before - (await balance());
      } else {
        // Between two balances of which nothing else left.
        await send(["--to", number()], later());
        await change({ credits: (await balance()) + 500 });
        toppedUp += 500;
        await send(["--to", number()], later());
      }
    }
    await send(["--to", number()], later());
    const charged = begun + toppedUp - (await balance());
    const months = await Promise.all(["2026-11", "2026-12"].map((month) => json(["spend", "--month", month], { now })));
    const sum = (of: (month: (typeof months)[number]) => number) => months.reduce((all, month) => all + of(month), 0);
    const own = sum(({ credits }) => credits);
    const elsewhere = sum((month) => month.elsewhere.credits);
    const either = sum((month) => month.elsewhere.uncertain);
    expect(foreign).toBeGreaterThan(0);
    // An uncertain message of a run may have been charged between requests that overlapped, where no balance shows it.
    expect(own + elsewhere + either).toBeLessThanOrEqual(charged);
    expect(own + elsewhere + either + sum(({ uncertain }) => uncertain.credits)).toBeGreaterThanOrEqual(charged);
    expect(elsewhere).toBeLessThanOrEqual(foreign);
    expect(elsewhere + either).toBeGreaterThanOrEqual(foreign);
    expect(either).toBeLessThanOrEqual(sum(({ uncertain }) => uncertain.credits));
    for (const by of ["day", "key", "run", "sender"]) {
      const { credits, messages, by: parts } = await json(["spend", "--month", "2026-11", "--by", by], { now });
      expect(parts.reduce((all: number, part: { credits: number }) => all + part.credits, 0)).toBe(credits);
      expect(parts.reduce((all: number, part: { messages: number }) => all + part.messages, 0)).toBe(messages);
    }
  });

  it("says in which interval credits left, and keeps test messages apart", async () => {
    await send(["--to", to], { now: start });
    await sendElsewhere(3);
    await send(["--to", to], { now: start + day });
    await send(["--to", to], { now: start + day, environment: { SMS_API_KEY: "sk_test_sandbox" } });
    const spend = await json(["spend"], { now: start + 2 * day });
    expect(spend).toEqual({
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
      messages: 2,
      segments: 2,
      credits: 2,
      kes: 1.6,
      uncertain: { messages: 0, credits: 0 },
      test: { messages: 1 },
      elsewhere: {
        credits: 3,
        uncertain: 0,
        gaps: [{ after: "2026-11-01T00:00:00.000Z", before: "2026-11-02T00:00:00.000Z", credits: 3, uncertain: 0 }],
      },
      by: [{ name: "SMS_API_KEY", messages: 2, credits: 2, kes: 1.6 }],
    });
    expect((await run(["spend", "--quiet"], { now: start })).stdout).toBe("2\n");
    expect((await run(["spend"], { now: start + 2 * day })).stdout).toBe(`November 2026 (UTC)
  Messages  2 in 2 segments
  Cost      2 credits, KES 1.60
  Test      1 message, not charged

  KEY          MESSAGES  CREDITS  KES
  SMS_API_KEY  2         2        1.60

Left the account, and not sent from this machine:
at least 3 credits.
  3 credits between
    2026-11-01 00:00:00 and 2026-11-02 00:00:00
`);
  });

  it("counts what left between two months in the month in which it was found", async () => {
    await send(["--to", to], { now: start - day });
    await sendElsewhere(2);
    await send(["--to", to], { now: start + day });
    const found = async (month: string) => (await json(["spend", "--month", month])).elsewhere.credits;
    expect([await found("2026-10"), await found("2026-11")]).toEqual([0, 2]);
  });

  it("takes the keys of a profile for one account, and other profiles for others", async () => {
    const { baseUrl } = await json(["status"]);
    const none = { SMS_API_KEY: undefined, SMS_BASE_URL: undefined };
    const login = (profile: string) =>
      run(["login", "--profile", profile, "--base-url", baseUrl, "--with-key"], {
        stdin: "sk_live_sandbox",
        environment: none,
      });
    await login("one");
    await login("two");
    const from = (profile: string, now: number) => send(["--to", to, "--profile", profile], { now, environment: none });
    await from("one", start);
    await send(["--to", to], { now: start + 1000 });
    await from("one", start + 2000);
    await from("two", start + 3000);
    await from("one", start + 4000);
    const { elsewhere, by } = await json(["spend"], { now: start });
    expect([elsewhere.credits, by]).toEqual([1, [{ name: "live", messages: 5, credits: 5, kes: 4 }]]);
  });

  it("fits a terminal, and writes a table for a spreadsheet", async () => {
    await send(["--to", to, "--sender", "ACME"], { now: start });
    await send(["--to", to, "-m", "a".repeat(400)], { now: start + day });
    await send(["--to", "+254712000500"], { now: start + day });
    for (const columns of [80, 50]) {
      const { stdout } = await run(["spend", "--by", "day"], { now: start, isTerminal: true, columns });
      expect(stdout).toContain("  2026-11-02  1         3        2.40\n");
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
    expect((await run(["spend", "--by", "sender", "--csv"], { now: start })).stdout).toBe(
      `sender,messages,segments,credits,kes,uncertainMessages,uncertainCredits
"SANDBOX",1,3,3,2.40,0,0
"ACME",1,1,1,0.80,0,0
"default sender",0,0,0,0.00,1,1
`,
    );
  });

  it.each([
    [["--month", "2026-13"], "INVALID_OPTION"],
    [["--month", "november"], "INVALID_OPTION"],
    [["--by", "week"], "INVALID_OPTION"],
    [["--csv"], "INVALID_OPTION"],
  ])("refuses %j", async (args, errorCode) => {
    const { code, stderr } = await run(["spend", ...args, "--json"]);
    expect([code, JSON.parse(stderr).errorCode]).toEqual([2, errorCode]);
  });
});
