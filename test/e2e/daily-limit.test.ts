import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { numbers } from "../commands/with-runs.ts";
import { runBuilt } from "../support/built.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { failing, fileCalls } from "../support/file-calls.ts";
import { needs } from "../support/needs.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { type Ended, lastJson, runSms, type SmsOptions, startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";
import { until } from "../support/until.ts";

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

it("a limit is that of one account, which a test key costs nothing, and may be passed by a receipt", async () => {
  const { send, status } = await startCharging("accounts", () => 3);
  const env = { SMS_DAILY_CREDITS: "2" };
  const warning = "Warning: receipts were above their estimates: 3 credits of 2 are spent today\n";

  const { stderr } = await send({ env });
  const codes = [];
  for (const key of ["sk_live_abc", "sk_test_abc", "sk_live_def"])
    codes.push((await send({ env: { ...env, SMS_API_KEY: key } })).code);

  expect({ stderr, codes }).toEqual({ stderr: warning, codes: [12, 0, 0] });
  expect((await status(env)).dailyCredits).toMatchObject({ limit: 2, spent: 3, left: 0 });
});

it("a record that is lost changes nothing about a message that is accepted meanwhile", async () => {
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

it("a profile limits all its keys together, the lower limit applies, and a low balance is said", async () => {
  const { run, send, status, server } = await startCharging("profile", () => 1);
  const [first, second] = [{ SMS_API_KEY: "sk_live_abc123" }, { SMS_API_KEY: "sk_live_def456" }];
  for (const { SMS_API_KEY: stdin } of [first, second])
    await run(["login", "--with-key", "--no-verify", "--base-url", server.url], { stdin });
  await run(["profiles", "set", "daily-credits", "2"]);
  await run(["profiles", "set", "low-balance", "99"]);

  const ends = [];
  for (const key of [first, second, first, second])
    ends.push(await send({ env: key === second ? { ...second, SMS_DAILY_CREDITS: "5" } : first }));
  const dear = await send({ env: { ...first, SMS_DAILY_CREDITS: "1" } }, "--message", "a".repeat(400));
  const { stdout } = await run(["status", "--check", "--json"], { env: second });

  expect(ends.map(({ code }) => code)).toEqual([0, 0, 12, 12]);
  expect(ends[1]?.stderr).toBe("Warning: the balance is low: 98 credits, less than low-balance 99\n");
  expect(dear.stderr).toContain("SMS_DAILY_CREDITS=3 and `sms profiles set daily-credits 3 --profile default`");
  expect(await status(second)).toMatchObject({ lowBalance: 99, dailyCredits: { limit: 2, spent: 2, left: 0 } });
  const low = { check: "balance", ok: false, errorCode: "LOW_BALANCE", exitCode: 5 };
  expect(JSON.parse(stdout).checks).toContainEqual(expect.objectContaining(low));
});

it("a limit that somebody lowers binds a run that is sending", async () => {
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

  const { code, stdout } = await run(["send", "-r", listOf(60), "-m", "Hi", "--yes", "--json", "--rate", "400"]);

  expect(code).toBe(12);
  expect(lastJson(stdout)).toMatchObject({ accepted: 20, pending: 40 });
  expect(server.requests).toHaveLength(20);
});

it(
  "a call on the file of a day that fails leaves nothing reserved for what was not sent",
  { ...needs("strace", "CI to be set"), timeout: 120_000 },
  async () => {
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
  },
);

it(
  "a kill at 3,000 a minute leaves reserved no more than what was in flight",
  { ...needs("CI to be set"), timeout: 60_000 },
  async () => {
    const onRequest: Script = (...request) => void setTimeout(() => accept({ totalCredits: 1 })(...request), 20);
    const server = await startScriptedServer({ onRequest });
    const env = { ...foldersIn(join(folder, "kill")), SMS_BASE_URL: server.url, ...live, SMS_DAILY_CREDITS: "3000" };
    const args = ["send", "-r", listOf(400), "-m", "Hi", "--run", "fast", "--yes", "--rate", "3000"];

    const { child, ended } = startSms(args, { env });
    await until(() => server.requests.length > 120);
    child.kill("SIGKILL");
    await ended;

    const json = async (...words: readonly string[]) =>
      JSON.parse((await runBuilt([...words, "--json"], { env })).stdout);
    const { spent, reserved } = (await json("status")).dailyCredits;
    const [{ accepted, uncertain }] = await json("runs", "list");
    expect(spent + reserved).toBeGreaterThanOrEqual(server.requests.length);
    expect(spent + reserved).toBeLessThanOrEqual(accepted + uncertain);
    // The answers of the last moment are in the journal, and not yet booked.
    expect(reserved).toBeLessThanOrEqual(uncertain + 10);
  },
);

it(
  "processes that send and are killed are charged no more than the limit",
  { ...needs("CI to be set"), timeout: 300_000 },
  async () => {
    const [limit, processes, kills] = [60, trials("PROCESSES", 2, 12), trials("KILLS", 3, 30)];

    const { charged, day } = await sendAndKill({ limit, processes, kills });

    expect(charged).toBeLessThanOrEqual(limit);
    // Nothing that was charged is forgotten, and all is used or in doubt.
    expect(day).toBe(limit);
    expect(charged).toBeGreaterThan(limit / 2);
  },
);

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
          ["send", "--recipients", list, "--message", `Hi ${id}`, "--run", `run-${id}`, "--yes", "--rate", "400"],
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
