import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { atEnd } from "../support/at-end.ts";
import { ownFolder } from "../support/folders.ts";
import { exitCodes, type RunningSms, type SignalName, startSms } from "../support/sms.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";

const hi = ["--message", "Hi"];
const one = ["send", "--to", "+254712345678", ...hi];
const run = ["send", "--run", "r", "--to", "+254712345678", "--to", "+254712345679", ...hi];
const later = (ms: number): Script => {
  return (socket, request) => void setTimeout(() => accept()(socket, request, 0), ms);
};

function closedHours(): readonly string[] {
  const [from, to] = [3, 4].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13));
  return ["--between", `${from}:00-${to}:00 UTC`, "--wait"];
}

interface State {
  readonly args: readonly string[];
  readonly script?: Script;
  readonly writes?: string;
  /** The service speaks no TLS although it is asked to, so that connections stay half made. */
  readonly isHandshakeSilent?: boolean;
  /** By default the command has connected to the service in this state. */
  readonly isConnected?: boolean;
  readonly requests?: number;
  /** The signal that ends it; by default the first. */
  readonly endsAt?: 2;
}

const states: Readonly<Record<string, State>> = {
  "connecting for one message": { args: one, isHandshakeSilent: true },
  "asking the service about a key": { args: ["login", "--with-key"], requests: 1 },
  "waiting before a retry of one message": {
    args: [...one, "--verbose"],
    script: answer(429, {}, { "retry-after": "20" }),
    writes: "429",
  },
  "waiting for the rate": { args: [...run, "--rate", "1", "--json"], script: accept(), writes: '"accepted"' },
  "waiting for opening with a run": { args: [...run, ...closedHours()], writes: "Waiting until", isConnected: false },
  "sending one message": { args: one, requests: 1, endsAt: 2 },
  "sending a run": { args: run, requests: 1, endsAt: 2 },
};

async function start({
  args,
  script,
  isHandshakeSilent,
  writes = "",
  isConnected = true,
  requests = 0,
}: State): Promise<RunningSms & { server: ScriptedServer }> {
  const server = await startScriptedServer({ ...(script && { onRequest: script }) });
  const { env } = ownFolder();
  const url = isHandshakeSilent ? server.url.replace("http:", "https:") : server.url;
  const running = startSms(args, { env: { ...env, ...testKey, SMS_BASE_URL: url } });
  if (args[0] === "login") running.child.stdin?.end("sk_test_abc\n");
  await until(() => server.connections() > 0 === isConnected);
  await until(() => server.requests.length >= requests);
  await until(() => (running.stdout() + running.stderr()).includes(writes));
  return { ...running, server };
}

describe.concurrent("signals", needs("/proc", "POSIX shell"), () => {
  const pairs = [
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGINT"],
    ["SIGHUP", "SIGTERM"],
  ] as const;
  const few = trials("SIGNALS", 1, pairs.length);

  it.each(
    Object.entries(states).flatMap(([name, { endsAt = 1 }], index) =>
      Array.from({ length: few }, (_, more) => pairs[(index + more) % pairs.length] ?? pairs[0]).map(
        (pair) => [name, ...pair, endsAt] as const,
      ),
    ),
  )("while it is %s: %s, then %s; number %i ends it", async (name, first, second, endsAt) => {
    const running = await start(states[name] ?? { args: [] });
    const outlivesFirst = endsAt === 2 && (await running.outlives(first));
    const code = await running.signal(endsAt === 1 ? first : second);

    expect({ outlivesFirst, code, stderr: running.stderr() }).toMatchObject({
      outlivesFirst: endsAt === 2,
      code: exitCodes[first],
    });
  });

  it.each([
    ["a message of a key", [...one, "--once", "key"], 1],
    ["a run", run, 2],
  ])("kill %s in the wait for the opening, and nothing is in doubt", async (_, args, messages) => {
    const server = await startScriptedServer({ onRequest: accept() });
    const env = { ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url };
    const running = startSms([...args, ...closedHours()], { env });
    await until(() => running.stderr().includes("Waiting until"));
    running.child.kill("SIGKILL");
    await running.ended;
    const again = await runBuilt([...args, "--between", "any", "--json"], { env });

    expect({ code: again.code, requests: server.requests.length }).toEqual({ code: 0, requests: messages });
  });

  it.each([one, run])("while it asks whether a sandbox listens end it, and nothing was sent", async (...args) => {
    // From within the question, which has a time limit that a busy machine would let pass.
    const running: RunningSms[] = [];
    const server = await startScriptedServer({ onHealth: () => running.forEach(({ child }) => child.kill("SIGTERM")) });
    const key = { SMS_API_KEY: "sk_live_abc", SMS_BASE_URL: server.url };

    running.push(startSms([...args, "--yes"], { env: { ...ownFolder().env, ...key } }));
    const end = await running[0]?.ended;

    expect(end).toMatchObject({ code: 143, stderr: expect.stringContaining("Nothing was sent") });
    expect(server.requests).toEqual([]);
  });

  it("of which two come at once, as of timeout and of a closed terminal, are one", async () => {
    const running = await start({ args: [...one, "--json"], script: later(1_000), requests: 1, endsAt: 2 });
    // Both wait until it goes on, however busy the machine is.
    for (const name of ["SIGSTOP", "SIGTERM", "SIGHUP"] as const) running.child.kill(name);

    expect([129, 143]).toContain(await running.signal("SIGCONT"));
    expect(JSON.parse(running.stdout())).toMatchObject({ success: true });
  });

  it("leave a command whose reader stalls at the second, with everything recorded", async () => {
    const { folder, env } = ownFolder();
    const fifo = join(folder, "stalled");
    execFileSync("mkfifo", [fifo]);
    const stdout = openSync(fifo, constants.O_RDWR);
    atEnd(() => closeSync(stdout));
    const count = 800;
    const server = await startScriptedServer({ onRequest: accept() });
    const send = ["send", "--recipients", "-", "--run", "r", ...hi, "--rate", "60000", "--json"];
    const own = { ...env, ...testKey, SMS_BASE_URL: server.url };
    const running = startSms(send, { env: own, stdout });
    running.child.stdin?.end(Array.from({ length: count }, (_, index) => `+2547${12_000_000 + index}\n`).join(""));
    await until(() => server.requests.length === count);
    const journal = join(folder, "state", "runs", "r", "journal.ndjson");
    await until(() => readFileSync(journal, "utf8").split('["accepted"').length > count);
    expect(await running.outlives("SIGINT")).toBe(true);
    expect(await running.signal("SIGINT")).toBe(130);
    const { stdout: listed } = await runBuilt(["runs", "list", "--json"], { env: own });

    expect(JSON.parse(listed)).toMatchObject([{ accepted: count, uncertain: 0 }]);
  });
});

interface Reading {
  /** `FIFO` becomes the path of a pipe without a writer. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const service = { SMS_BASE_URL: "http://127.0.0.1:9", ...testKey };
const readings: Readonly<Record<string, Reading>> = {
  "recipients on standard input": { args: ["send", "--recipients", "-", ...hi], env: service },
  "recipients in a FIFO": { args: ["send", "--recipients", "FIFO", ...hi], env: service },
  "exclusions in a FIFO": { args: [...run, "--exclude", "FIFO"], env: service },
  "the text on standard input": { args: ["send", "--to", "+254712345678"], env: service },
  "the text in a FIFO": { args: ["send", "--to", "+254712345678", "--message-file", "FIFO"], env: service },
  "the text of a preview": { args: ["preview"] },
  "a key file that is a FIFO": { args: one, env: { ...service, SMS_API_KEY: "", SMS_API_KEY_FILE: "FIFO" } },
  "a key on standard input": { args: ["login", "--base-url", "http://127.0.0.1:9", "--with-key"] },
};

describe.concurrent("a signal while it reads", needs("/proc", "POSIX shell"), () => {
  const signals = Object.keys(exitCodes) as SignalName[];
  const few = trials("SIGNALS", 1, signals.length);

  it.each(
    Object.entries(readings).flatMap(([what, reading], index) =>
      Array.from(
        { length: few },
        (_, more) => [what, signals[(index + more) % signals.length] ?? "SIGINT", reading] as const,
      ),
    ),
  )("%s ends it: %s", async (_, signal, { args, env = {} }) => {
    const { folder, env: own } = ownFolder();
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const named = (text: string) => (text === "FIFO" ? fifo : text);
    const all = Object.entries({ ...own, ...env }).map(([name, value]) => [name, named(value)]);
    const running = startSms(args.map(named), { env: Object.fromEntries(all) });
    await running.listens();

    const code = await running.signal(signal);

    expect({ code, stdout: running.stdout() }).toEqual({ code: exitCodes[signal], stdout: "" });
    expect(running.stderr()).toMatch(/^(Not sent|Error): interrupted\n/);
    expect(existsSync(join(folder, "state", "runs", "r"))).toBe(false);
  });

  it("endless duplicates ends it", async () => {
    const running = startSms(["send", "--recipients", "-", ...hi], { env: { ...ownFolder().env, ...service } });
    const block = "+254712345678\n".repeat(1_000);
    const endless = Readable.from(
      (function* () {
        for (;;) yield block;
      })(),
    );
    if (running.child.stdin !== null) endless.pipe(running.child.stdin);
    await running.listens();

    expect(await running.signal("SIGINT")).toBe(130);
  });
});

describe.concurrent("a command that is suspended past its --timeout", needs("POSIX shell"), () => {
  const several = Array.from({ length: 16 }, (_, index) => ["--to", `+2547123456${index + 10}`]).flat();

  // A run has as many in flight as answers have come.
  it.each([
    ["one message", { args: one, answersNow: 0, inFlight: 1 }],
    ["a run", { args: ["send", "--run", "r", "--rate", "60000", ...several, ...hi], answersNow: 8, inFlight: 8 }],
  ])("has the answers that came meanwhile: %s", async (_, { args, answersNow, inFlight }) => {
    const waiting: (() => void)[] = [];
    const server = await startScriptedServer({
      onRequest: (...request) => {
        if (request[2] < answersNow) accept()(...request);
        else waiting.push(() => accept()(...request));
      },
    });
    const env = { ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url };
    const running = startSms([...args, "--timeout", "3", "--json"], { env });
    await until(() => waiting.length === inFlight);
    running.child.kill("SIGSTOP");
    await sleep(300);
    for (const respond of waiting) respond();
    await sleep(3_500);

    running.child.kill("SIGCONT");
    const { code, stdout } = await running.ended;

    expect({ code, others: stdout.match(/"outcome":"(?!accepted).*/g) }).toEqual({ code: 0, others: null });
  });
});
