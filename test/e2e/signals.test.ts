import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { atEnd } from "../support/at-end.ts";
import { ownFolder } from "../support/folders.ts";
import { exitCodes, type RunningSms, startSms } from "../support/sms.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { type ReadRequest, type Script, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer, receiptFor, response } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";

const hi = ["--message", "Hi", "--timeout", "60"];
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
  readonly endsAt: 1 | 2;
}

const states: Readonly<Record<string, State>> = {
  "connecting for one message": { args: one, isHandshakeSilent: true, endsAt: 1 },
  "connecting for a run": { args: run, isHandshakeSilent: true, endsAt: 1 },
  "asking the service about a key": { args: ["login", "--with-key"], requests: 1, endsAt: 1 },
  "waiting before a retry of one message": {
    args: [...one, "--verbose"],
    script: answer(429, {}, { "retry-after": "30" }),
    writes: "429",
    requests: 1,
    endsAt: 1,
  },
  "waiting before a retry in a run": {
    args: [...run, "--verbose"],
    script: answer(429, {}, { "retry-after": "30" }),
    writes: "429",
    requests: 1,
    endsAt: 1,
  },
  "waiting for the rate": {
    args: [...run, "--rate", "1", "--json"],
    script: accept(),
    writes: '"accepted"',
    requests: 1,
    endsAt: 1,
  },
  "waiting for the opening with one message": {
    args: [...one, ...closedHours()],
    writes: "Waiting until",
    isConnected: false,
    endsAt: 1,
  },
  "waiting for the opening with a run": {
    args: [...run, ...closedHours()],
    writes: "Waiting until",
    isConnected: false,
    endsAt: 1,
  },
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
  await until(() => server.requests.length === requests);
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
    Object.entries(states).flatMap(([name, { endsAt }], index) =>
      Array.from({ length: few }, (_, more) => pairs[(index + more) % pairs.length] ?? pairs[0]).map(
        (pair) => [name, ...pair, endsAt] as const,
      ),
    ),
  )("while it is %s: %s, then %s; number %i ends it", async (name, first, second, endsAt) => {
    const running = await start(states[name] ?? { args: [], endsAt: 1 });
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

describe.concurrent("a command that is suspended past its --timeout", needs("POSIX shell"), () => {
  it.each([
    ["one message", ["send", "--to", "+254712345678"]],
    [
      "a run",
      [
        "send",
        "--run",
        "r",
        "--rate",
        "60000",
        ...Array.from({ length: 16 }, (_, index) => ["--to", `+2547123456${index + 10}`]).flat(),
      ],
    ],
  ])("has the answers that came meanwhile: %s", async (_, args) => {
    const waiting: (() => void)[] = [];
    // A run has as many in flight as answers have come.
    let answersNow = args.length === 3 ? 0 : 8;
    const onRequest: Script = (socket, request: ReadRequest) => {
      const { to } = JSON.parse(request.body) as { to: string };
      if (answersNow-- > 0) return void socket.write(response(200, receiptFor(to)));
      waiting.push(() => void socket.write(response(200, receiptFor(to))));
    };
    const server = await startScriptedServer({ onRequest });
    const env = { ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url };
    const running = startSms([...args, "--message", "Hi", "--timeout", "3", "--json"], { env });
    await until(() => waiting.length === (args.length === 3 ? 1 : 8));
    running.child.kill("SIGSTOP");
    await sleep(300);
    for (const respond of waiting) respond();
    await sleep(3_500);
    running.child.kill("SIGCONT");
    await until(() => running.child.exitCode !== null);

    expect([running.stdout().match(/"outcome":"(?!accepted).*/g), running.child.exitCode]).toEqual([null, 0]);
  });
});
