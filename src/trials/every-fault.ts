import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { type EndingKind, interruptionError } from "../errors.ts";
import type { Host } from "../host.ts";
import { everyFault, noFaults } from "../sandbox/faults.ts";
import type { Sandbox } from "../sandbox/server.ts";
import type { Setup } from "../sandbox/setup.ts";
import type { Context, GlobalOptions, Page, View } from "../terminal/context.ts";
import { plural } from "../words/count.ts";
import { type CommandEnd, exitCodeOf, noProgram, notStarted, programFor } from "../sending/notify/child-command.ts";
import { besideSandbox, reportNotStarted } from "./beside-sandbox.ts";
import { tokenVariable } from "./sandbox-messages.ts";

interface Trial {
  readonly fault: string;
  readonly exitCode: number;
  readonly texts: number;
  /** Somebody got the same text twice. */
  readonly twice: boolean;
  /** The command ended with 0, and somebody whom it tried to text got nothing. */
  readonly lost: boolean;
  /** The command was ended, because it did not end in time. */
  readonly timedOut?: true;
}

type Unstarted = Extract<CommandEnd, { readonly kind: "not-started" }>;

/** Says for each fault whether the command stands it. Ends as a run does in which not everybody got a text. */
export async function tryEveryFault(
  command: readonly string[],
  { timeout = 60, json }: Pick<GlobalOptions, "json"> & { readonly timeout?: number | undefined },
  setup: Partial<Setup>,
  context: Context,
): Promise<EndingKind | number> {
  const { presenter } = context;
  const trials: Trial[] = [];
  for await (const trial of trialsOf(command, timeout * 1000, setup, context)) {
    if ("reason" in trial) return reportNotStarted(command[0] ?? "", trial, context);
    trials.push(trial);
    if (!json) presenter.show(trialView(trial, timeout));
  }
  if (json) presenter.show({ json: () => trials, text: () => "" });
  const failed = trials.filter((trial) => faultsOf(trial, timeout).length > 0);
  if (failed.length > 0) presenter.note(`It does not stand ${failed.length} of ${trials.length} faults. ${advice}`);
  else if (trials.some(({ texts }) => texts > 0)) presenter.note("Nobody got a text twice, and no text was lost.");
  else presenter.warn("no text came beside any fault, so this proves nothing");
  return failed.length === 0 ? "accepted" : "incomplete";
}

const advice =
  "What may have gone out is sent again only under the same `--once KEY`, and what was not sent needs an exit code other than 0.";

function faultsOf({ twice, lost, timedOut }: Trial, timeout: number): readonly string[] {
  return [
    ...(twice ? ["somebody got the same text twice"] : []),
    ...(lost ? ["a text was lost, and the exit code is 0"] : []),
    ...(timedOut ? [`it did not end within ${plural(timeout, "second")}`] : []),
  ];
}

function trialView(trial: Trial, timeout: number): View {
  const { fault, exitCode, texts } = trial;
  const problems = faultsOf(trial, timeout).join("; ");
  const line = ({ paint }: Page) => {
    const mark = problems === "" ? paint.good("✓") : paint.bad("✗");
    const facts = `${fault.padEnd(11)}  exit ${String(exitCode).padEnd(3)}  ${plural(texts, "text").padEnd(7)}`;
    return `${mark} ${`${facts}  ${problems}`.trimEnd()}`;
  };
  return {
    json: () => trial,
    quiet: (page) => (problems === "" ? [] : [line(page)]),
    text: (page) => `${line(page)}\n`,
  };
}

/** Runs the command once for each fault, each time beside a fresh sandbox whose first send meets that fault. */
async function* trialsOf(
  command: readonly string[],
  timeoutMs: number,
  setup: Partial<Setup>,
  context: Context,
): AsyncGenerator<Trial | Unstarted> {
  const { stdin } = context.host;
  const openInput = stdin.isTerminal() ? () => Readable.from([]) : rereadable(stdin.chunks());
  for (const [index, [name, effect]] of everyFault.entries()) {
    context.presenter.tell(({ isTerminal, paint }) =>
      isTerminal ? `${paint.faint(`Trying ${name} (${index + 1} of ${everyFault.length})`)}\n` : "",
    );
    const faults = effect === undefined ? noFaults : { ...noFaults, first: { name, effect } };
    yield await besideSandbox({ ...setup, faults }, context, async (sandbox, environment) => {
      if (effect === undefined) await sandbox.close();
      const end = await runToEnd(command, environment, openInput(), timeoutMs, context.host);
      return end.kind === "ended" ? verdictOn(sandbox, name, end) : end;
    });
  }
}

function verdictOn(sandbox: Sandbox, fault: string, { exitCode, timedOut }: Ended): Trial {
  const messages = sandbox.messages();
  const texts = new Set(messages.map(({ to, message }) => JSON.stringify([to, message])));
  const reached = new Set(messages.map(({ to }) => to));
  const isLost = messages.length === 0 || sandbox.numbers().some((to) => !reached.has(to));
  const twice = texts.size < messages.length;
  return {
    fault,
    exitCode,
    texts: messages.length,
    twice,
    lost: exitCode === 0 && isLost,
    ...(timedOut && { timedOut }),
  };
}

/** Gives each reader the input from its beginning, also if the reader before has left a part of it. */
function rereadable(input: AsyncIterable<Uint8Array>): () => Readable {
  const source = input[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let reading: Promise<boolean> | undefined;
  const more = async () => {
    const result = await source.next();
    reading = undefined;
    if (!result.done) chunks.push(result.value);
    return !result.done;
  };
  const fromStart = async function* () {
    for (let index = 0; index < chunks.length || (await (reading ??= more())); index++) yield chunks[index];
  };
  return () => Readable.from(fromStart());
}

interface Ended {
  readonly kind: "ended";
  readonly exitCode: number;
  readonly timedOut?: true | undefined;
}

/** Nothing that the command started runs on. Throws an interruption after a signal. */
async function runToEnd(
  [name = "", ...words]: readonly string[],
  environment: Host["environment"],
  input: Readable,
  timeoutMs: number,
  host: Host,
): Promise<Ended | Unstarted> {
  const program = programFor(name, environment, host.platform);
  if (program === undefined) return noProgram;
  const { stop, leave } = host.interruption();
  const deadline = AbortSignal.timeout(timeoutMs);
  const halt = AbortSignal.any([stop, leave, deadline]);
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      // A group of its own can be ended whole. Standard output belongs to the verdicts.
      const detached = host.platform !== "win32";
      const child = spawn(program, words, { env: environment, stdio: ["pipe", 2, 2], detached });
      child.on("error", (error) => child.pid === undefined && reject(error));
      // The command may end without reading.
      child.stdin?.on("error", () => {});
      input.on("error", () => child.stdin?.end());
      if (child.stdin !== null) input.pipe(child.stdin);
      const { pid } = child;
      // Every process has an empty token.
      const token = environment[tokenVariable] || crypto.randomUUID();
      if (pid === undefined) return;
      const end = () => endAll(detached ? -pid : pid, token, host, leave);
      halt.addEventListener("abort", () => void end());
      if (halt.aborted) void end();
      child.once("exit", (code, signal) => void end().then(() => resolve(exitCodeOf(code, signal))));
    });
    if (stop.aborted) throw interruptionError(stop, "none");
    return { kind: "ended", exitCode, timedOut: deadline.aborted || undefined };
  } catch (error) {
    if (stop.aborted) throw error;
    return notStarted(error, name);
  } finally {
    input.destroy();
  }
}

const graceMs = 3000;

const lookEveryMs = 50;

/** Sends SIGTERM, then SIGKILL, to the group of a command and to what left the group. */
async function endAll(group: number, token: string, { signal, sleep }: Host, leave: AbortSignal): Promise<void> {
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (let ms = 0; ms < graceMs; ms += lookEveryMs) {
      const pids = existsSync("/proc/self/environ") ? processesOf(group, token) : signal(group, 0) ? [group] : [];
      if (pids.length === 0) return;
      if (name === "SIGTERM" && leave.aborted) break;
      if (ms === 0 || name === "SIGKILL") for (const pid of pids) signal(pid, name);
      await sleep(lookEveryMs);
    }
  }
}

/** On Linux this finds what made a group of its own, and leaves out zombies, which a container may never reap. */
function processesOf(group: number, token: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, "latin1") : "";
      const [state = "Z", , ofGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || stat === "") return [];
      const isOurs = Number(ofGroup) === -group || readFileSync(`/proc/${name}/environ`, "latin1").includes(token);
      return isOurs ? Number(name) : [];
    } catch {
      return [];
    }
  });
}
