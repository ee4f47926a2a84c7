import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fast } from "../commands/with-runs.ts";
import { drawing, seed } from "../support/seed.ts";
import { to, withHistory } from "./with-history.ts";

const { run, json, send, sendRun, sandbox, environment, balance, path } = withHistory(100_000);
const day = 24 * 60 * 60 * 1000;
const start = Date.parse("2026-11-01T00:00:00Z");

/** Sends messages and runs over a random month, some with faults, and returns when it ends. */
async function sendForAMonth(): Promise<number> {
  const draw = drawing(seed);
  let now = start;
  const later = () => (now += 1 + draw(day / 3));
  const number = () => `+2547123${String(draw(90_000) + 10_000)}`;
  const fault = () => `+254712000${["400", "402", "500", "503", "598", "200"][draw(6)]}`;
  const text = () => ["-m", "a".repeat(1 + draw(400))];
  for (let step = 0; step < 24; step++) {
    // Each kind once, and then any.
    const what = [0, 5][step] ?? draw(7);
    if (what < 5) await send(["--to", draw(4) === 0 ? fault() : number(), ...text()], { now: later() });
    else {
      const name = `run-${step}`;
      const rows = Array.from({ length: 2 + draw(6) }, () => (draw(5) === 0 ? fault() : number()));
      writeFileSync(path("rows.txt"), rows.join("\n"));
      // A run waits for its pace, so its clock goes on.
      const ahead = later() - Date.now();
      const machine = { now: () => Date.now() + ahead };
      await sendRun(name, ["-r", path("rows.txt"), ...text()], machine);
      if (draw(2) === 0) await run(["runs", "resume", name, "--retry", "uncertain", "--yes", ...fast], machine);
      if (draw(3) === 0) await run(["runs", "remove", name, "--yes"], machine);
    }
  }
  return now;
}

describe("sms spend", () => {
  it("agrees with the account over a random month of sends, runs and faults", async () => {
    const before = await balance();

    const now = await sendForAMonth();

    const charge = before - (await balance());
    const months = await Promise.all(["2026-11", "2026-12"].map((month) => json(["spend", "--month", month], { now })));
    const sum = (of: (month: (typeof months)[number]) => number) => months.reduce((all, month) => all + of(month), 0);
    const total = sum(({ credits }) => credits);

    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(charge);
    expect(total + sum(({ uncertain }) => uncertain.credits)).toBeGreaterThanOrEqual(charge);
    for (const by of ["day", "key", "profile", "run", "sender"]) {
      const { credits, messages, by: parts } = await json(["spend", "--month", "2026-11", "--by", by], { now });
      expect(parts.reduce((all: number, part: { credits: number }) => all + part.credits, 0)).toBe(credits);
      expect(parts.reduce((all: number, part: { messages: number }) => all + part.messages, 0)).toBe(messages);
    }
  });

  it("sums a month, and keeps test messages apart", async () => {
    await send(["--to", to], { now: start });
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
      sandbox: { messages: 0 },
      by: [{ name: "SMS_API_KEY", messages: 2, credits: 2, kes: 1.6 }],
    });
    expect((await run(["spend", "--quiet"], { now: start })).stdout).toBe("2\n");
    expect((await run(["spend"], { now: start + 2 * day })).stdout).toBe(`November 2026 (UTC)
  Messages  2 in 2 segments
  Cost      2 credits, KES 1.60
  Test      1 message, not charged

  KEY          MESSAGES  CREDITS  KES
  SMS_API_KEY  2         2        1.60
`);
  });

  it("tells the keys of profiles apart, whatever a profile is called by now", async () => {
    const { SMS_BASE_URL: service } = environment();
    const none = { SMS_API_KEY: undefined, SMS_BASE_URL: undefined };
    for (const profile of ["one", "two"]) {
      const login = ["login", "--profile", profile, "--base-url", service ?? "", "--with-key"];
      await run(login, { stdin: "sk_live_sandbox", environment: none });
    }
    const from = (profile: string) => send(["--to", to, "--profile", profile], { now: start, environment: none });
    for (const profile of ["one", "two", "two"]) await from(profile);
    // The environment has a key of the profile in use.
    await send(["--to", to], { now: start });

    expect((await run(["profiles", "rename", "two", "shop"])).code).toBe(0);
    await from("shop");
    const rows = async (...args: readonly string[]) => {
      const { by } = await json(["spend", ...args], { now: start });
      return by.map(({ name, messages }: { name: string; messages: number }) => `${name}: ${messages}`);
    };
    expect(await rows()).toEqual(["shop/live: 3", "one/live: 2"]);
    expect(await rows("--by", "profile")).toEqual(["shop: 3", "one: 2"]);
    expect(await rows("-p", "shop")).toEqual(["shop/live: 3"]);
    expect((await run(["spend", "-p", "two"])).code).toBe(2);
    expect((await json(["history"]))[0]).toMatchObject({ profile: "shop", key: "live" });
  });

  it("leaves out what a sandbox took, which the history marks", async () => {
    const atSandbox = { now: start, environment: { SMS_BASE_URL: sandbox().url } };
    await send(["--to", to], atSandbox);
    await sendRun("rehearsal", ["--to", to], atSandbox);
    await send(["--to", to], { now: start });

    expect(await json(["spend"], { now: start })).toMatchObject({ messages: 1, credits: 1, sandbox: { messages: 2 } });
    expect((await run(["spend"], { now: start })).stdout).toContain("\n  Sandbox   2 messages, not charged\n");
    const modes: readonly string[] = (await json(["history"])).map(({ mode }: { mode: string }) => mode);
    expect(modes.toSorted()).toEqual(["live", "sandbox", "sandbox"]);
    expect((await run(["history"])).stdout.match(/accepted \(sandbox\)/g)).toHaveLength(2);
  });

  it("fits a terminal, and writes a table for a spreadsheet", async () => {
    await send(["--to", to, "--sender", "ACME"], { now: start });
    await send(["--to", to, "-m", "a".repeat(400)], { now: start + day });
    await send(["--to", "+254700000500"], { now: start + day });
    for (const columns of [80, 50]) {
      const { stdout } = await run(["spend", "--by", "day"], { now: start, isTerminal: true, columns });
      expect(stdout).toContain("  2026-11-02  1         3        2.40\n");
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    }

    expect((await run(["spend", "--by", "sender", "--format", "csv"], { now: start })).stdout).toBe(
      `sender,messages,segments,credits,kes,uncertainMessages,uncertainCredits
"SANDBOX",1,3,3,2.40,0,0
"ACME",1,1,1,0.80,0,0
"default sender",0,0,0,0.00,1,1
`,
    );
  });
});

describe("sms spend with the profile of a sandbox", () => {
  const none = { SMS_API_KEY: undefined, SMS_BASE_URL: undefined };
  const machine = { now: start, environment: none };

  it.each([
    ["in use", []],
    ["by -p", ["-p", "default"]],
  ])("counts what went there alone, and says so, also once the sandbox has ended: %s", async (_, args) => {
    await run(["login", "--base-url", sandbox().url, "--with-key"], { stdin: "sk_live_sandbox", environment: none });
    expect((await run(["spend"], machine)).stdout).toContain("only what profile default sent to its sandbox");
    await send(["--to", to], { now: start, environment: { SMS_API_KEY: "sk_live_sandbox-2" } });
    await send(["--to", to], machine);
    await sendRun("list", ["--to", to, "--to", "+254733000000"], machine);
    for (const isRunning of [true, false]) {
      if (!isRunning) await sandbox().close();
      const { stdout } = await run(["spend", ...args], machine);
      expect(stdout).toContain(`  Messages    3 in 3 segments
  Would cost  3 credits, KES 2.40
  Sandbox     only what profile default sent to its sandbox: nobody pays
`);
      const { credits, sandbox: taken } = await json(["spend", ...args], machine);
      expect({ credits, taken }).toEqual({ credits: 3, taken: { messages: 3, profile: "default" } });
    }
  });

  it("counts as usual if the profile leads to the real service through this machine", async () => {
    const { SMS_BASE_URL: tunnel } = environment();
    await run(["login", "--base-url", tunnel, "--with-key"], { stdin: "sk_live_sandbox", environment: none });
    await send(["--to", to], machine);
    const { stdout } = await run(["spend"], machine);
    expect(stdout).toContain("  Cost      1 credit, KES 0.80\n");
  });
});
