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
import { type Ended, lastJson, runSms, type SmsOptions } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

const to = "+254712345678";
const live = { SMS_API_KEY: "sk_live_abc" };
const folder = temporaryFolder();

function listOf(count: number): string {
  const path = join(folder, `list-${count}.txt`);
  writeFileSync(path, numbers(count).join("\n"));
  return path;
}

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
  const send = (options: SmsOptions, ...args: readonly string[]) => {
    const text = args.includes("--message") ? [] : ["--message", "Hi"];
    return run(["send", "--to", to, ...text, "--json", ...args], options);
  };
  const status = async (env: SmsOptions["env"] = {}) => JSON.parse((await run(["status", "--json"], { env })).stdout);
  return { server, run, send, status, charged: () => charged };
}

describe("SMS_DAILY_CREDITS", () => {
  const env = { SMS_DAILY_CREDITS: "2" };

  it("stops a run, and then holds messages, dry runs and the rest of the run", async () => {
    const { server, run, send, status } = await startCharging("run", () => 1);
    const list = listOf(3);

    const begun = await run(["send", "-r", list, "-m", "Hi", "--run", "three", "--yes", "--json"], { env });
    const later = [
      await send({ env }),
      await send({ env }, "--dry-run"),
      await run(["runs", "resume", "three", "--yes", "--json"], { env }),
    ];

    expect(begun.code).toBe(12);
    expect(lastJson(begun.stdout)).toMatchObject({
      accepted: 2,
      pending: 1,
      errorCode: "DAILY_LIMIT",
      stopped: expect.stringMatching(/the day ends at [^:]*:\d\d [^:]*$/),
    });
    const error = expect.stringContaining("2 spent and 0 reserved, so 0 left");
    const refusal = { errorCode: "DAILY_LIMIT", outcome: "unsent", exitCode: 12, error };
    for (const { stderr } of later) expect(lastJson(stderr)).toMatchObject(refusal);

    expect(server.requests).toHaveLength(2);
    expect((await status(env)).dailyCredits).toMatchObject({ limit: 2, spent: 2, reserved: 0, left: 0 });
    // A test key costs nothing, and another key is another account.
    expect((await send({ env: { ...env, SMS_API_KEY: "sk_test_abc" } })).code).toBe(0);
    expect((await send({ env: { ...env, SMS_API_KEY: "sk_live_def" } })).code).toBe(0);
  });

  it("that is raised lets the rest of a run go, which a resume sends", async () => {
    const { server, run } = await startCharging("raised", () => 1);
    await run(["send", "-r", listOf(3), "-m", "Hi", "--run", "three", "--yes"], { env });

    const raised = { env: { SMS_DAILY_CREDITS: "3" } };

    expect((await run(["runs", "resume", "three", "--yes"], raised)).code).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  it("is reserved once for a key of --once, which answers again although nothing is left", async () => {
    const { send } = await startCharging("once", () => 1);

    const codes = [];
    for (const key of ["a", "b", "c", "a"]) codes.push((await send({ env }, "--once", key)).code);

    expect(codes).toEqual([0, 0, 12, 0]);
  });

  it("is said after the command of notify, or before if no day has room for the message", async () => {
    const { server, run } = await startCharging("notify", () => 2);
    const notify = (limit: string) => run(["notify", "--to", to, "--", "false"], { env: { SMS_DAILY_CREDITS: limit } });

    await notify("2");
    const [after, never] = [await notify("2"), await notify("0")];

    expect(after).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the daily limit is 2 credits"),
    });
    expect(never).toMatchObject({
      code: 12,
      stderr: expect.stringContaining("no day has room for it"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["", "EMPTY_VARIABLE"],
    ["2.5", "INVALID_OPTION"],
    ["none", "INVALID_OPTION"],
  ])("that is %j is refused by its name", async (value, errorCode) => {
    const { send } = await startCharging("invalid", () => 1);

    const { code, stderr } = await send({ env: { SMS_DAILY_CREDITS: value } });

    const error = expect.stringContaining("SMS_DAILY_CREDITS");

    expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 2, errorCode, error });
  });

  it("gives back what was refused, and shows a receipt above its estimate", async () => {
    const { send, status } = await startCharging("above", () => 3);
    const refusal = response(400, { error: "no", errorCode: "INVALID" });
    const { url } = await startScriptedServer({ onRequest: (socket) => void socket.write(refusal) });
    const refusing = { ...env, SMS_BASE_URL: url };

    expect((await send({ env: refusing })).code).toBe(3);
    expect((await status(refusing)).dailyCredits).toMatchObject({ spent: 0, reserved: 0 });

    const { code, stderr } = await send({ env });
    const warning = "Warning: receipts were above their estimates: 3 credits of 2 are spent today\n";

    expect({ code, stderr }).toEqual({ code: 0, stderr: warning });
    expect((await status(env)).dailyCredits).toMatchObject({ limit: 2, spent: 3, left: 0 });
  });
});

it("changes nothing about a message that is accepted while the record is lost", async () => {
  const own = foldersIn(join(folder, "lost"));
  const server = await startScriptedServer({
    onRequest: (...request) => {
      chmodSync(join(own.SMS_STATE_DIR, "spending"), 0o777);
      accept()(...request);
    },
  });
  const env = { ...own, SMS_BASE_URL: server.url, ...live, SMS_DAILY_CREDITS: "5" };

  const { code, stdout, stderr } = await runBuilt(["send", "--to", to, "--message", "Hi", "--quiet"], { env });

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringContaining("msg"), stderr: "" });
});

describe("a profile", () => {
  const limit = [
    ["daily-credits", "2"],
    ["low-balance", "99"],
    ["zone", "Africa/Nairobi"],
  ] as const;
  const first = { SMS_API_KEY: "sk_live_abc123" };
  const second = { SMS_API_KEY: "sk_live_def456" };

  async function startLimited(name: string) {
    const service = await startCharging(name, () => 1);
    const { run, server } = service;
    for (const { SMS_API_KEY: stdin } of [first, second])
      await run(["login", "--with-key", "--no-verify", "--base-url", server.url], { stdin });
    for (const words of limit) expect((await run(["profiles", "set", ...words])).code).toBe(0);
    return service;
  }

  it("limits all its keys together, and the lower of its limit and the variable applies", async () => {
    const { send } = await startLimited("keys");

    const codes = [];
    for (const key of [first, second, first, second])
      codes.push((await send({ env: key === second ? { ...second, SMS_DAILY_CREDITS: "5" } : first })).code);

    expect(codes).toEqual([0, 0, 12, 12]);

    const dear = await send({ env: { ...first, SMS_DAILY_CREDITS: "1" } }, "--message", "a".repeat(400));

    expect(JSON.parse(dear.stderr)).toMatchObject({
      errorCode: "DAILY_LIMIT",
      hint: expect.stringContaining("SMS_DAILY_CREDITS=3 and `sms profiles set daily-credits 3 --profile default`"),
    });
  });

  it("knows a low balance, which a send, status and its check say", async () => {
    const { run, send, status } = await startLimited("balance");

    const sent = [await send({ env: first }), await send({ env: second })].map(({ stderr }) => stderr);
    const { balance, lowBalance, dailyCredits } = await status(second);
    const { stdout } = await run(["status", "--check", "--json"], { env: second });

    expect(sent).toEqual(["", "Warning: the balance is low: 98 credits, less than low-balance 99\n"]);
    expect({ credits: balance.credits, lowBalance, dailyCredits }).toMatchObject({
      credits: 98,
      lowBalance: 99,
      dailyCredits: { limit: 2, spent: 2, reserved: 0, left: 0, endsAt: expect.stringMatching(/T21:00:00.000Z$/) },
    });
    const low = { check: "balance", ok: false, errorCode: "LOW_BALANCE", exitCode: 5 };
    const words = { text: "98 credits, less than low-balance 99", fix: "top the account up" };

    expect(JSON.parse(stdout).checks).toContainEqual({ ...low, ...words });
  });
});

it("binds a run that is sending when somebody lowers it", async () => {
  const own = foldersIn(join(folder, "lowered"));
  const run = (args: readonly string[], stdin = "") => runBuilt(args, { env: own, stdin });
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

  const { code, stdout } = await run(["send", "-r", listOf(60), "-m", "Hi", "--yes", "--json", "--rate", "6000"]);

  expect(code).toBe(12);
  expect(lastJson(stdout)).toMatchObject({ accepted: 20, pending: 40 });
  expect(server.requests).toHaveLength(20);
});

describe("a call on the file of a day that fails", needs("strace", "CI to be set"), () => {
  it("leaves nothing reserved for what was not sent", { timeout: 120_000 }, async () => {
    const server = await startScriptedServer({ onRequest: accept({ totalCredits: 1 }) });
    const own = join(folder, "failing");
    const env = { ...foldersIn(own), SMS_BASE_URL: server.url, ...live, SMS_DAILY_CREDITS: "1000" };
    const command = { args: ["send", "--to", to, "--message", "Hi"], env, log: join(folder, "failing.log") };
    await runBuilt(command.args, { env });
    const calls = await fileCalls(command, own);
    const ofDay = calls.filter(({ path }) => /\/spending(?:\/[0-9a-f]+\.json)?$/.test(path));
    expect(ofDay.length).toBeGreaterThan(5);
    for (const call of ofDay) {
      await failing(command, call);
      const { spent, reserved } = JSON.parse((await runBuilt(["status", "--json"], { env })).stdout).dailyCredits;
      expect({ call, sum: spent + reserved }).toEqual({ call, sum: server.requests.length });
    }
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
  const { run, status, charged } = await startCharging("kills", () => 1, 20, runSms);
  const env = { SMS_DAILY_CREDITS: String(limit) };
  const list = listOf(90);
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
  return { charged: charged(), day: spent + reserved };
}
