import { requireRun } from "../../src/record/begun-run.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { folderRuns } from "../../src/record/folder/runs.ts";
import { machine } from "../files/this-process.ts";
import { inContainer } from "../support/container.ts";
import { needs } from "../support/needs.ts";
import { drawing, seed } from "../support/seed.ts";
import { type RunningSms, startSms } from "../support/sms.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import { temporaryFolder } from "../support/folders.ts";

const signals = trials("SIGNALS", 8, 14);
const messages = trials("MESSAGES", 200, 300);
const inFlight = 64;

/** What happens to a process, and whether it may leave what is in flight. */
interface Blow {
  readonly sends: readonly NodeJS.Signals[];
  readonly isHard: boolean;
}

const blows: readonly Blow[] = [
  { sends: ["SIGINT"], isHard: false },
  { sends: ["SIGTERM"], isHard: false },
  { sends: ["SIGKILL"], isHard: true },
  { sends: ["SIGINT", "SIGTERM"], isHard: true },
  { sends: ["SIGHUP"], isHard: false },
  { sends: ["SIGSTOP", "SIGCONT", "SIGINT"], isHard: false },
  { sends: ["SIGSTOP", "SIGKILL"], isHard: true },
  { sends: ["SIGSTOP", "SIGTERM", "SIGCONT"], isHard: false },
];

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

/** Signals the program itself, not what contains it: the container is killed with what is in it. */
function strike({ child }: RunningSms, name: NodeJS.Signals, isContained: boolean): void {
  const pid = isContained && name !== "SIGKILL" ? descendant(child.pid ?? 0, 2) : child.pid;
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}

/** The only child of the only child, and so on; undefined if there is none yet, or any more. */
function descendant(pid: number, generations: number): number | undefined {
  if (generations === 0) return pid;
  try {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
    return child > 0 ? descendant(child, generations - 1) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until the process has sent that many messages, or ends. */
async function untilSent(count: number, service: StormService, running: RunningSms): Promise<void> {
  const from = service.requests.length;
  while (service.requests.length < from + count && !hasEnded(running)) await sleep(2);
}

const notBegun = { accepted: 0, rejected: 0, unsent: 0, uncertain: 0, pending: messages };

/** Returns the counts of the run, and what it says of a message that is not true. */
async function reading(state: string, service: StormService) {
  const runs = folderRuns({ path: state, uid: process.getuid?.() }, machine);
  const wrong: string[] = [];
  if ((await runs.read("storm")) === undefined) return { tally: notBegun, wrong: [...service.texted.keys()] };
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

/** Whether an exit code is right: of a signal that was sent, of a run that is done, or of one that another works on. */
function isRight({ code, stdout, stderr }: Awaited<RunningSms["ended"]>, sends: readonly NodeJS.Signals[]): boolean {
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const summary = last.includes('"summary"') ? (JSON.parse(last) as Readonly<Record<string, unknown>>) : undefined;
  if (summary !== undefined && summary["exitCode"] !== code) return false;
  if (code === 0 || code === 11) return summary?.["pending"] === 0 && summary["unsent"] === 0;
  return sends.some((name) => code === 128 + constants.signals[name]) || (code === 2 && stderr.includes("RUN_BUSY"));
}

it(
  `a run of ${messages} in a storm of ${signals} signals texts nobody twice, misses nobody and says what is true`,
  { timeout: 180_000 + 10_000 * signals },
  async () => {
    const draw = drawing(seed);
    const random = () => draw(2 ** 32) / 2 ** 32;
    const service = await startStormService(random);
    const folder = temporaryFolder();
    const state = join(folder, "state");
    const list = join(folder, "list.txt");
    writeFileSync(
      list,
      Array.from({ length: messages }, (_, index) => `+2547${String(index).padStart(8, "0")}\n`).join(""),
    );
    const environment = {
      HOME: folder,
      SMS_STATE_DIR: state,
      SMS_BASE_URL: service.url,
      SMS_API_KEY: "sk_test_storm",
    };
    const any = <Item>(items: readonly Item[], other: Item) => items[Math.floor(random() * items.length)] ?? other;
    const names = needs("PID namespaces").skip ? [undefined] : [undefined, "one", "one", "two"];
    const send = ["send", "-r", list, "-m", "Hi", "--run", "storm", "--rate", "15000", "--json"];
    const start = () => {
      const name = any(names, undefined);
      const running = startSms(send, { env: environment, through: name === undefined ? [] : inContainer(name) });
      const { child, ended } = running;
      const strikeIt = (signal: NodeJS.Signals) => strike(running, signal, name !== undefined);
      // As a shell gives it.
      const codeOf = (code: number | null) => code ?? 128 + constants.signals[child.signalCode ?? "SIGKILL"];
      return { ...running, ended: ended.then((end) => ({ ...end, code: codeOf(end.code) })), strike: strikeIt };
    };

    const faults: string[] = [];
    let sent = 0;
    let hardEnds = 0;
    let uncertainBefore = 0;
    while (sent < signals) {
      const running = start();
      const doubts = service.doubts();
      await untilSent(random() * (messages / signals) * 1.5, service, running);
      await sleep(random() * 20);
      // Another process tries to work on the run meanwhile.
      const rival = random() < 0.2 ? start() : undefined;
      if (rival !== undefined) await sleep(random() * 400);
      const { sends, isHard } = any(blows, { sends: ["SIGKILL"], isHard: true });
      for (const name of sends) {
        running.strike(name);
        sent++;
        await sleep(random() * (name === "SIGSTOP" ? 500 : 10));
      }
      // A program that does not obey is killed, and found by its exit code.
      const bound = setTimeout(() => running.strike("SIGKILL"), 30_000);
      const ended = await running.ended;
      clearTimeout(bound);
      rival?.strike("SIGKILL");
      await rival?.ended;

      const at = `after ${sends.join()}`;
      if (!isRight(ended, sends))
        faults.push(`${at}: exit code ${ended.code}: ${ended.stdout.slice(-300)}${ended.stderr}`);
      const { tally, wrong } = await reading(state, service);
      faults.push(...wrong.map((words) => `${at}: ${words}`));
      const hardNow = Number(isHard) + Number(rival !== undefined);
      const more = tally.uncertain - uncertainBefore - (service.doubts() - doubts);
      if (more > inFlight * hardNow) faults.push(`${at}: ${more} more uncertain`);
      hardEnds += hardNow;
      uncertainBefore = tally.uncertain;
    }

    const last = await start().ended;
    const { tally, wrong } = await reading(state, service);
    const { accepted, rejected, uncertain, pending, unsent } = tally;
    const twice = [...service.texted].filter(([, count]) => count > 1);
    const figures = { signals: sent, hardEnds, twice: twice.length, accepted, rejected, uncertain, pending, unsent };
    process.stdout.write(`storm: ${JSON.stringify({ ...figures, byTheService: service.doubts() })}\n`);
    expect({ faults, wrong, twice, pending, unsent }).toEqual({
      faults: [],
      wrong: [],
      twice: [],
      pending: 0,
      unsent: 0,
    });
    expect({ all: accepted + rejected + uncertain, code: last.code }).toEqual({ all: messages, code: 11 });
  },
);
