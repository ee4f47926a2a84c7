import { requireRun } from "../../src/record/begun-run.ts";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { folderRuns } from "../../src/record/folder/runs.ts";
import { machine } from "../files/this-process.ts";
import { inContainer } from "../support/container.ts";
import { needs } from "../support/needs.ts";
import { drawing, seed } from "../support/seed.ts";
import { type StormProcess, startInStorm } from "../support/storm-process.ts";
import { startStormService, type StormService, stormNumber } from "../support/storm-service.ts";
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

/** Waits until the process has sent that many messages, or ends. */
async function untilSent(count: number, service: StormService, running: StormProcess): Promise<void> {
  const from = service.requests();
  while (service.requests() < from + count && !running.hasEnded()) await sleep(2);
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
function isRight({ code, stdout, stderr }: Awaited<StormProcess["ended"]>, sends: readonly NodeJS.Signals[]): boolean {
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
    onTestFinished(() => service.close());
    const state = join(folder, "state");
    const list = join(folder, "list.txt");
    writeFileSync(list, Array.from({ length: messages }, (_, index) => `${stormNumber(index)}\n`).join(""));
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      SMS_STATE_DIR: state,
      SMS_BASE_URL: service.url,
      SMS_API_KEY: "sk_test_storm",
    };
    const limits = ["--rate", "15000", "--json"];
    const any = <Item>(items: readonly Item[], other: Item) => items[Math.floor(random() * items.length)] ?? other;
    const names = needs("PID namespaces").skip ? [undefined] : [undefined, "one", "one", "two"];
    const start = () => {
      const name = any(names, undefined);
      const container = name === undefined ? [] : inContainer(name);
      return startInStorm(container, ["send", "-r", list, "-m", "Hi", "--run", "storm", ...limits], environment);
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
        running.signal(name);
        sent++;
        await sleep(random() * (name === "SIGSTOP" ? 500 : 10));
      }
      // A program that does not obey is killed, and found by its exit code.
      const bound = setTimeout(() => running.signal("SIGKILL"), 30_000);
      const ended = await running.ended;
      clearTimeout(bound);
      rival?.signal("SIGKILL");
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
