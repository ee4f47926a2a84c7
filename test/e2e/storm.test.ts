import { requireRun } from "../../src/record/run-with-ledger.ts";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { folderRuns } from "../../src/record/folder/runs-folder.ts";
import { machine } from "../files/this-process.ts";
import { drawing, seed } from "../support/seed.ts";
import { type Ended, type RunningSms, startSms } from "../support/sms.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import { ownFolder } from "../support/folders.ts";

const signalCount = trials("SIGNALS", 8, 14);
const messages = trials("MESSAGES", 200, 300);
const inFlight = 64;

const blows: readonly (readonly NodeJS.Signals[])[] = [
  ["SIGINT"],
  ["SIGTERM"],
  ["SIGKILL"],
  ["SIGINT", "SIGTERM"],
  ["SIGHUP"],
  ["SIGSTOP", "SIGCONT", "SIGINT"],
  ["SIGSTOP", "SIGKILL"],
  ["SIGSTOP", "SIGTERM", "SIGCONT"],
];

/** A process that is hit hard may leave what is in flight. */
const isHard = (sends: readonly NodeJS.Signals[]) => sends.includes("SIGKILL") || sends.join() === "SIGINT,SIGTERM";

/** A service that of 100 messages refuses one, answers one with 500, cuts one off, and answers one with 429 first. */
async function startStormService(random: () => number) {
  /** How often each number was sent a message, or may have been. */
  const texted = new Map<string, number>();
  /** The message id of each number that was accepted. */
  const accepted = new Map<string, string>();
  const refused = new Set<string>();
  const limited = new Set<string>();
  let doubts = 0;
  const server = await startScriptedServer({
    onRequest: (...received) => {
      const { to } = JSON.parse(received[1].body) as { to: string };
      const reply = (script: Script) => void setTimeout(() => script(...received), 5 + random() * 35);
      const kind = Number(to.slice(-2));
      if (kind === 7) {
        refused.add(to);
        return reply(answer(400, { error: "Invalid parameters" }));
      }
      if (kind === 31 && !limited.has(to)) {
        limited.add(to);
        return reply(answer(429, { error: "Too many requests" }, { "retry-after": "0" }));
      }
      texted.set(to, (texted.get(to) ?? 0) + 1);
      if (kind === 53 || kind === 79) doubts++;
      if (kind === 53) return reply(answer(500, { error: "Internal error" }));
      if (kind === 79) return void received[0].destroy();
      const messageId = `msg_${to}_${texted.get(to)}`;
      accepted.set(to, messageId);
      reply(accept({ messageId }));
    },
  });
  return { ...server, texted, accepted, refused, doubts: () => doubts };
}

type StormService = Awaited<ReturnType<typeof startStormService>>;

const hasEnded = ({ child }: RunningSms) => child.exitCode !== null || child.signalCode !== null;

/** A shell gives a code for a signal as well. */
const codeOf = ({ child }: RunningSms) => child.exitCode ?? 128 + constants.signals[child.signalCode ?? "SIGKILL"];

async function untilSent(count: number, { requests }: StormService, running: RunningSms): Promise<void> {
  const before = requests.length;
  while (requests.length < before + count && !hasEnded(running)) await sleep(2);
}

const notBegun = { accepted: 0, rejected: 0, unsent: 0, uncertain: 0, pending: messages };

/** The counts of the run, and each message of which the record says what is not true. */
async function readRecord(state: string, service: StormService) {
  const runs = folderRuns({ path: state, uid: process.getuid?.() }, machine);
  if ((await runs.read("storm")) === undefined) return { tally: notBegun, wrong: [...service.texted.keys()] };
  const wrong: string[] = [];
  const { readResults, ledger } = await requireRun(runs, "storm");
  for await (const { message, outcome } of readResults()) {
    const { to } = message;
    const kind = outcome?.kind ?? "pending";
    const isTrue = {
      accepted: outcome?.kind === "accepted" && service.accepted.get(to) === outcome.receipt.messageId,
      rejected: service.refused.has(to) && !service.texted.has(to),
      unsent: !service.texted.has(to),
      pending: !service.texted.has(to),
      uncertain: true,
    }[kind];
    if (!isTrue) wrong.push(`${to} is ${kind}`);
  }
  return { tally: ledger.tally(), wrong };
}

/** A code is right for a signal that was sent, for a run that is done, and for a run that another process works on. */
function isRight(code: number, { stdout, stderr }: Ended, signals: readonly NodeJS.Signals[]): boolean {
  const line = stdout.trim().split("\n").at(-1) ?? "";
  const summary = line.includes('"summary"') ? (JSON.parse(line) as Readonly<Record<string, unknown>>) : undefined;
  const ofSignals: readonly unknown[] = signals.map((name) => 128 + constants.signals[name]);
  // A second signal may end the process after its summary.
  const isSaid = [code, ...(ofSignals.includes(code) ? ofSignals : [])].includes(summary?.["exitCode"] ?? code);
  if (!isSaid) return false;
  if (code === 0 || code === 11) return summary?.["pending"] === 0 && summary["unsent"] === 0;
  return ofSignals.includes(code) || (code === 2 && stderr.includes("RUN_BUSY"));
}

async function startStorm() {
  const draw = drawing(seed);
  const random = () => draw(2 ** 32) / 2 ** 32;
  const service = await startStormService(random);
  const { folder, env } = ownFolder();
  const list = join(folder, "list.txt");
  const numbers = Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}\n`);
  writeFileSync(list, numbers.join(""));
  const send = ["send", "-r", list, "-m", "Hi", "--run", "storm", "--rate", "15000", "--json"];
  const start = () =>
    startSms(send, { env: { ...env, SMS_BASE_URL: service.url, SMS_API_KEY: "sk_test_storm" }, stdin: "" });
  return { draw, random, service, start, read: () => readRecord(env.SMS_STATE_DIR, service) };
}

type Storm = Awaited<ReturnType<typeof startStorm>>;

/** Starts the run, lets it send a while, and strikes. Another process may try to work on the run meanwhile. */
async function strike({ random, service, start }: Storm, sends: readonly NodeJS.Signals[]) {
  const running = start();
  await untilSent(random() * (messages / signalCount) * 1.5, service, running);
  await sleep(random() * 20);
  const rival = random() < 0.2 ? start() : undefined;
  if (rival !== undefined) await sleep(random() * 400);
  for (const name of sends) {
    running.child.kill(name);
    await sleep(random() * (name === "SIGSTOP" ? 500 : 10));
  }
  // A program that does not obey is killed, and found by its exit code.
  const bound = setTimeout(() => running.child.kill("SIGKILL"), 30_000);
  const end = await running.ended;
  clearTimeout(bound);
  rival?.child.kill("SIGKILL");
  await rival?.ended;
  const code = codeOf(running);
  const words = `exit code ${code}: ${end.stdout.slice(-300)}${end.stderr}`;
  const kills = Number(isHard(sends)) + Number(rival !== undefined);
  return { faults: isRight(code, end, sends) ? [] : [words], kills };
}

it(
  `a run of ${messages} in a storm of ${signalCount} signals texts nobody twice, misses nobody and says what is true`,
  { timeout: 180_000 + 10_000 * signalCount },
  async () => {
    const storm = await startStorm();
    const { service } = storm;
    const faults: string[] = [];
    let uncertain = 0;

    for (let signals = 0; signals < signalCount;) {
      const blow = blows[storm.draw(blows.length)] ?? ["SIGKILL"];
      signals += blow.length;
      const doubts = service.doubts();
      const end = await strike(storm, blow);
      const { tally, wrong } = await storm.read();
      const more = tally.uncertain - uncertain - (service.doubts() - doubts);
      uncertain = tally.uncertain;
      const tooMany = more > inFlight * end.kills ? [`${more} more uncertain`] : [];
      faults.push(...[...end.faults, ...wrong, ...tooMany].map((words) => `after ${blow.join()}: ${words}`));
    }
    const { code } = await storm.start().ended;

    const { tally, wrong } = await storm.read();
    const twice = [...service.texted].filter(([, count]) => count > 1);
    const { accepted, rejected, pending, unsent } = tally;

    expect({ faults, wrong, twice }).toEqual({ faults: [], wrong: [], twice: [] });
    expect({ pending, unsent }).toEqual({ pending: 0, unsent: 0 });
    expect({ all: accepted + rejected + tally.uncertain, code }).toEqual({ all: messages, code: 11 });
  },
);
