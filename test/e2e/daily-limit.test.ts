import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { numbers } from "../commands/with-runs.ts";
import { runBuilt } from "../support/built.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { failing, fileCalls } from "../support/file-calls.ts";
import { needs } from "../support/needs.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, response } from "../support/scripts.ts";
import { type Ended, runSms, type SmsOptions } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

const to = "+254712345678";
const live = { SMS_API_KEY: "sk_live_abc" };
const folder = temporaryFolder();

/** Starts a service that charges each message it gets, and a function that runs commands against it in folders of its own. */
async function startCharging(name: string, credits: (index: number) => number, answerMs = 0, start = runBuilt) {
  let charged = 0;
  const server: ScriptedServer = await startScriptedServer({
    onRequest: (socket, request, index) => {
      const totalCredits = credits(index);
      charged += totalCredits;
      const script = accept({ messageId: `msg_${index}`, totalCredits, newBalance: 100 - charged });
      // Some answers are lost.
      if (answerMs > 0 && index % 5 === 4) socket.destroy();
      else setTimeout(() => script(socket, request, index), answerMs);
    },
  });
  const own = join(folder, name);
  const run = (args: readonly string[], { env, ...options }: SmsOptions = {}): Promise<Ended> =>
    start(args, { ...options, env: { ...foldersIn(own), SMS_BASE_URL: server.url, ...live, ...env } });
  const send = (options: SmsOptions, ...args: readonly string[]) =>
    run(["send", "--to", to, "--message", "Hi", "--json", ...args], options);
  const status = async (env: SmsOptions["env"] = {}) => JSON.parse((await run(["status", "--json"], { env })).stdout);
  return { server, run, send, status, charged: () => charged };
}

describe("SMS_DAILY_CREDITS", () => {
  it("holds one message, keys of --once, commands and runs of live keys alike", async () => {
    const { server, run, send, status } = await startCharging("one", () => 1);
    const env = { SMS_DAILY_CREDITS: "3" };
    const two = { env: { SMS_DAILY_CREDITS: "2" } };
    const codes = [
      await send({ env }),
      // Its reservation takes the last credit, and needs no second one.
      await send(two, "--once", "a"),
      await send(two, "--once", "b"),
      await send({ env }, "--once", "a"),
    ].map(({ code }) => code);
    expect(codes).toEqual([0, 0, 12, 0]);
    const list = join(folder, "three.txt");
    writeFileSync(list, numbers(3).join("\n"));
    const begun = await run(["send", "--recipients", list, "--message", "Hi", "--run", "three", "--yes", "--json"], {
      env,
    });
    expect(begun.code).toBe(12);
    expect(JSON.parse(begun.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      accepted: 1,
      pending: 2,
      errorCode: "DAILY_LIMIT",
      stopped: expect.stringMatching(/the day ends at [^:]*:\d\d [^:]*$/),
    });
    const held = [
      await send({ env }),
      await send({ env }, "--dry-run"),
      await run(["runs", "resume", "three", "--yes", "--json"], { env }),
    ];
    for (const { code, stderr } of held) {
      expect([code, JSON.parse(stderr.trim().split("\n").at(-1) ?? "")]).toMatchObject([
        12,
        {
          errorCode: "DAILY_LIMIT",
          outcome: "unsent",
          error: expect.stringContaining("3 spent and 0 reserved, so 0 left"),
        },
      ]);
    }
    const after = await run(["notify", "--to", to, "--", "false"], { env });
    expect([after.code, after.stderr]).toEqual([1, expect.stringContaining("the daily limit is 3 credits")]);
    // A day that never has room is known before the command runs.
    const never = await run(["notify", "--to", to, "--", "false"], { env: { SMS_DAILY_CREDITS: "0" } });
    expect([never.code, never.stderr]).toEqual([12, expect.stringContaining("no day has room for it")]);
    expect(server.requests.length).toBe(3);
    expect((await status(env)).dailyCredits).toMatchObject({ limit: 3, spent: 3, reserved: 0, left: 0 });
    const more = { env: { SMS_DAILY_CREDITS: "4" } };
    expect((await run(["runs", "resume", "three", "--yes"], more)).code).toBe(12);
    // A test key costs nothing, and another key is another account.
    expect((await send({ env: { ...env, SMS_API_KEY: "sk_test_abc" } })).code).toBe(0);
    expect((await send({ env: { ...env, SMS_API_KEY: "sk_live_def" } })).code).toBe(0);
    await server.close();
  });

  it.each([
    ["", "EMPTY_VARIABLE"],
    ["2.5", "INVALID_OPTION"],
    ["none", "INVALID_OPTION"],
  ])("that is %j is refused by its name", async (value, errorCode) => {
    const { server, send } = await startCharging("invalid", () => 1);
    const { code, stderr } = await send({ env: { SMS_DAILY_CREDITS: value } });
    expect([code, JSON.parse(stderr)]).toMatchObject([
      2,
      { errorCode, error: expect.stringContaining("SMS_DAILY_CREDITS") },
    ]);
    await server.close();
  });

  it("gives back what was refused, and shows a receipt above its estimate", async () => {
    const { server, send, status } = await startCharging("above", () => 3);
    const refusing = await startScriptedServer({
      onRequest: (socket) => void socket.write(response(400, { error: "no", errorCode: "INVALID" })),
    });
    const env = { SMS_DAILY_CREDITS: "2" };
    expect((await send({ env: { ...env, SMS_BASE_URL: refusing.url } })).code).toBe(3);
    expect((await status({ ...env, SMS_BASE_URL: refusing.url })).dailyCredits).toMatchObject({
      spent: 0,
      reserved: 0,
    });
    const { code, stderr } = await send({ env });
    expect([code, stderr]).toEqual([
      0,
      "Warning: receipts were above their estimates: 3 credits of 2 are spent today\n",
    ]);
    expect((await status(env)).dailyCredits).toMatchObject({ limit: 2, spent: 3, left: 0 });
    await Promise.all([server.close(), refusing.close()]);
  });
});

it("changes nothing about a message that is accepted while the record is lost", async () => {
  const own = join(folder, "lost");
  const server = await startScriptedServer({
    onRequest: (...request) => {
      chmodSync(join(foldersIn(own).SMS_STATE_DIR, "spending"), 0o777);
      accept()(...request);
    },
  });
  const env = { ...foldersIn(own), SMS_BASE_URL: server.url, ...live, SMS_DAILY_CREDITS: "5" };
  const { code, stdout, stderr } = await runBuilt(["send", "--to", to, "--message", "Hi", "--quiet"], { env });
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining("msg"), ""]);
  await server.close();
});

describe("a profile", () => {
  it("limits all its keys together, the lower of its limit and the variable holding, and knows a low balance", async () => {
    const { server, run, status } = await startCharging("profile", () => 1);
    const login = ["login", "--with-key", "--no-verify", "--base-url", server.url];
    expect((await run(login, { stdin: "sk_live_abc123" })).code).toBe(0);
    for (const [setting = "", value = ""] of [
      ["daily-credits", "2"],
      ["low-balance", "99"],
      ["zone", "Africa/Nairobi"],
    ])
      expect((await run(["profiles", "set", setting, value])).code).toBe(0);
    const send = async (more: SmsOptions["env"] = {}) =>
      run(["send", "--to", to, "--message", "Hi", "--json"], { env: { SMS_API_KEY: "sk_live_abc123", ...more } });
    expect((await send()).stderr).toBe("");
    expect((await run(login, { stdin: "sk_live_def456" })).code).toBe(0);
    const second = await send({ SMS_API_KEY: "sk_live_def456", SMS_DAILY_CREDITS: "5" });
    expect([second.code, second.stderr]).toEqual([
      0,
      "Warning: the balance is low: 98 credits, less than low-balance 99\n",
    ]);
    expect((await send()).code).toBe(12);
    const dear = await run(["send", "--to", to, "--message", "a".repeat(400), "--json"], {
      env: { SMS_API_KEY: "sk_live_abc123", SMS_DAILY_CREDITS: "1" },
    });
    expect(JSON.parse(dear.stderr)).toMatchObject({
      errorCode: "DAILY_LIMIT",
      hint: expect.stringContaining("SMS_DAILY_CREDITS=3 and `sms profiles set daily-credits 3 --profile default`"),
    });
    const { balance, lowBalance, dailyCredits } = await status({ SMS_API_KEY: "sk_live_def456" });
    expect({ balance: balance.credits, lowBalance, dailyCredits }).toMatchObject({
      balance: 98,
      lowBalance: 99,
      dailyCredits: { limit: 2, spent: 2, reserved: 0, left: 0, endsAt: expect.stringMatching(/T21:00:00.000Z$/) },
    });
    const checked = await run(["status", "--check", "--json"], { env: { SMS_API_KEY: "sk_live_def456" } });
    expect(JSON.parse(checked.stdout).checks).toContainEqual({
      check: "balance",
      ok: false,
      text: "98 credits, less than low-balance 99",
      fix: "top the account up",
      errorCode: "LOW_BALANCE",
      exitCode: 5,
    });
    await server.close();
  });
});

it("binds a run that is sending when somebody lowers it", async () => {
  const own = join(folder, "lowered");
  const run = (args: readonly string[], stdin = "") => runBuilt(args, { env: foldersIn(own), stdin });
  let isLowered: Promise<unknown> | undefined;
  const server = await startScriptedServer({
    onRequest: async (socket, request, index) => {
      // No answer makes room for another request before the limit is lowered.
      if (index >= 4) await (isLowered ??= run(["profiles", "set", "daily-credits", "20"]));
      accept({ messageId: `msg_${index}`, totalCredits: 1 })(socket, request, index);
    },
  });
  await run(["login", "--with-key", "--no-verify", "--base-url", server.url], "sk_live_abc123");
  await run(["profiles", "set", "daily-credits", "60"]);
  const list = join(folder, "sixty.txt");
  writeFileSync(list, numbers(60).join("\n"));
  const { code, stdout } = await run(["send", "-r", list, "-m", "Hi", "--yes", "--json", "--rate", "6000"]);
  expect(code).toBe(12);
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ accepted: 20, pending: 40 });
  expect(server.requests).toHaveLength(20);
  await server.close();
});

describe("a call on the file of a day that fails", needs("strace", "CI to be set"), () => {
  it("leaves nothing reserved for what was not sent", { timeout: 120_000 }, async () => {
    const server = await startScriptedServer({ onRequest: accept({ totalCredits: 1 }) });
    const own = join(folder, "failing");
    const env = { ...foldersIn(own), SMS_BASE_URL: server.url, ...live, SMS_DAILY_CREDITS: "1000" };
    const command = { args: ["send", "--to", to, "--message", "Hi"], env, log: join(folder, "failing.log") };
    await runBuilt(command.args, { env });
    const { calls } = await fileCalls(command, own);
    const ofDay = calls.filter(({ path }) => /\/spending(?:\/[0-9a-f]+\.json)?$/.test(path));
    expect(ofDay.length).toBeGreaterThan(5);
    for (const call of ofDay) {
      await failing(command, call, "EIO");
      const { spent, reserved } = JSON.parse((await runBuilt(["status", "--json"], { env })).stdout).dailyCredits;
      expect({ call, sum: spent + reserved }).toEqual({ call, sum: server.requests.length });
    }
    await server.close();
  });
});

describe("processes that send and are killed", () => {
  const [processes, kills] = [trials("PROCESSES", 2, 12), trials("KILLS", 3, 30)];

  it("are charged no more than the limit, whatever their number", { timeout: 300_000 }, async () => {
    const limit = 60;
    const { charged, day } = await sendAndKill({ limit, processes, kills });
    expect(charged).toBeLessThanOrEqual(limit);
    // Nothing that was charged is forgotten, and all is used or in doubt.
    expect(day).toBe(limit);
    expect(charged).toBeGreaterThan(limit / 2);
  });
});

/**
 * Sends runs, keys of --once and single messages from several processes at once until the limit is reached. Returns what was
 * charged, and what is spent and reserved in the end.
 */
async function sendAndKill({ limit, processes, kills }: Readonly<Record<"limit" | "processes" | "kills", number>>) {
  const { server, run, status, charged } = await startCharging("kills", () => 1, 20, runSms);
  const env = { SMS_DAILY_CREDITS: String(limit) };
  const list = join(folder, "many.txt");
  writeFileSync(list, numbers(90).join("\n"));
  let left = kills;
  const work = async (id: number) => {
    for (let turn = 0; ; turn++) {
      const args =
        [
          ["send", "--recipients", list, "--message", `Hi ${id}`, "--run", `run-${id}`, "--yes", "--rate", "6000"],
          ["send", "--to", to, "--message", "Hi", "--once", `${id} ${turn}`],
          ["send", "--to", to, "--message", "Hi"],
        ][(id + turn) % 3] ?? [];
      const isKilled = left-- > 0;
      const boundMs = isKilled ? 250 + 37 * ((id * 7 + turn) % 17) : 60_000;
      const { code } = await run(args, { env, boundMs });
      if (!isKilled && code === 12) return;
      await sleep(1);
    }
  };
  const ids = Array.from({ length: processes }, (_, id) => id);
  await Promise.all(ids.map(work));
  for (const id of ids) await run(["runs", "resume", `run-${id}`, "--yes"], { env });
  const { spent, reserved } = (await status(env)).dailyCredits;
  await server.close();
  return { charged: charged(), day: spent + reserved };
}
