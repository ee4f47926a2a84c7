import { Command } from "@commander-js/extra-typings";
import { randomUUID } from "node:crypto";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { ReceivedMessage } from "./messages.ts";
import type { Page } from "../../output/presenter.ts";
import { visible } from "../../output/redact.ts";
import { plural } from "../../output/text.ts";
import { noFaults, readFaults } from "../../sandbox/faults.ts";
import { problemsOf } from "../../sandbox/json-reader.ts";
import { openKeptFile } from "../../sandbox/kept-file.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../sandbox/server.ts";
import { readSenders, readSetup } from "../../sandbox/setup-reader.ts";
import { type AccountLogin, changed, defaultSetup, sendPaths, type Setup } from "../../sandbox/setup.ts";
import type { Context } from "../shared/context.ts";
import { number, oneOf, repeated, single } from "../shared/option-values.ts";
import { readTextFile } from "../shared/input.ts";

type Log = NonNullable<SandboxOptions["log"]>;

/** Where a sandbox listens, and the file that keeps its messages. */
export interface Place extends Pick<SandboxOptions, "host" | "port" | "isPrivate"> {
  readonly keep?: string | undefined;
}

/** A sandbox that listens. */
interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly account: AccountLogin;
  /** The seed of its faults; undefined without faults. */
  readonly seed: number | undefined;
}

/**
 * Starts a sandbox with these flags, whose keys may be shown, and with the messages in the file `keep`. Each request goes to
 * `log`, with `--log` to stderr instead.
 */
export async function openSandbox(
  flags: SandboxFlags,
  { keep, ...place }: Place,
  context: Context,
  log: Log = () => {},
): Promise<OpenSandbox> {
  const { host, redactor, presenter } = context;
  const setup = await readSandboxSetup(flags, host);
  // Also with --json, where a warning waits for a result, and no other follows.
  const warn = (text: string) => presenter.trace(redactor.redactForeign(`Warning: ${text}`));
  const kept = keep === undefined ? undefined : openKeptFile(keep, host.uid, warn);
  const sandbox = await startSandbox({
    ...setup,
    ...place,
    now: host.now,
    newId: randomUUID,
    kept,
    log: flags.log ? logTo(context) : log,
  });
  for (const key of sandbox.keys) redactor.reveal(key);
  return { sandbox, account: setup.account, seed: setup.faults.text === noFaults.text ? undefined : setup.seed };
}

function logTo({ host, presenter }: Context): Log {
  return (request, { reply, fault, to, mode, segments }) => {
    const result = reply.kind === "answer" ? reply.status : reply.kind;
    presenter.trace(requestText(host.now(), request, result, { fault, to, mode, segments }));
  };
}

/** The flags that set up a sandbox. */
export interface SandboxFlags {
  readonly config?: string;
  readonly tier?: "free" | "starter" | "professional";
  readonly rate?: number;
  readonly credits?: number;
  readonly sender?: readonly string[];
  readonly path?: "/api/v1/sms/send" | "/v1/sms/send" | "both";
  readonly fault?: string;
  readonly seed?: number;
  readonly log?: true;
}

/** More than any configuration needs. Bytes. */
const mostBytes = 1024 * 1024;

/**
 * Returns the setup of a sandbox from the flags, else the file, else the defaults, with a random seed unless one is given.
 * Throws a usage error: `INVALID_CONFIG` with everything that is wrong in the file, `UNREADABLE_FILE`, `AMBIGUOUS_RATE`,
 * `INVALID_OPTION`.
 */
async function readSandboxSetup(flags: SandboxFlags, host: Host): Promise<Setup> {
  const { config, tier, rate, credits, sender, path, fault, seed } = flags;
  if (rate !== undefined && tier !== undefined)
    throw usageError("AMBIGUOUS_RATE", "--rate and --tier are both given", "give one of them");
  const chosen: Setup = { ...defaultSetup, seed: Math.floor(host.random() * 2 ** 32) };
  const configured = config === undefined ? chosen : changed(chosen, await readConfig(config, host));
  return changed(configured, {
    ...(tier !== undefined && { tier }),
    ...(rate !== undefined && { rate }),
    ...(credits !== undefined && { credits }),
    ...(sender !== undefined && { senders: readSenders(sender, "--sender") }),
    ...(path !== undefined && { paths: path === "both" ? sendPaths : [path] }),
    ...(fault !== undefined && { faults: readFaults(fault, "--fault") }),
    ...(seed !== undefined && { seed }),
  });
}

async function readConfig(path: string, host: Host): Promise<Partial<Setup>> {
  const text = await readTextFile(path, "--config", mostBytes, host);
  try {
    return readSetup(parseJson(text));
  } catch (error) {
    const problems = problemsOf(error);
    throw usageError(
      "INVALID_CONFIG",
      `${path} is not a valid configuration`,
      "fix the file and start again",
      problems,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError("INVALID_CONFIG", `it is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Returns a command with the options that set up a sandbox. */
export function withSetupOptions(name: string) {
  return new Command(name)
    .option("--config <file>", "a JSON file with the setup; other options override it", single("--config"))
    .option(
      "--tier <name>",
      "free, starter or professional (default: free)",
      oneOf("--tier", ["free", "starter", "professional"]),
    )
    .option(
      "--rate <n>",
      "enforce n requests a minute instead of a tier",
      number("--rate", "a whole number of requests", 1, 1_000_000),
    )
    .option(
      "--credits <n>",
      "the credits to start with (default: 1000)",
      number("--credits", "a whole number of credits", 0, 1_000_000_000),
    )
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option(
      "--path <path>",
      "/api/v1/sms/send (default), /v1/sms/send or both",
      oneOf("--path", ["/api/v1/sms/send", "/v1/sms/send", "both"]),
    )
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .option("--seed <n>", "repeat the faults of an earlier start", number("--seed", "a seed", 0, 2 ** 32 - 1))
    .option("--log", "print a line on stderr for each request");
}

/** A sandbox that listens. */
export interface RunningSandbox {
  readonly url: string;
  /** What the page and `/_sandbox` need; undefined if only this machine can reach it. */
  readonly token: string | undefined;
  /** The keys that it accepts. */
  readonly keys: readonly string[];
  readonly account: { readonly email: string; readonly password: string };
  /** The seed of its faults; undefined without faults. */
  readonly seed: number | undefined;
}

/** Returns the address of the page, with what it needs. */
export function inboxOf({ url, token }: Pick<RunningSandbox, "url" | "token">): string {
  return `${url}/${token === undefined ? "" : `?token=${token}`}`;
}

/** Says which seed repeats the faults; nothing without one. */
export function seedText(seed: number | undefined): string {
  return seed === undefined ? "" : `--seed ${seed} repeats these faults.`;
}

/** A send that a sandbox has handled. */
interface HandledSend {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined if it could not be read. */
  readonly to?: string;
  readonly mode?: string;
  /** Undefined if the message was refused. */
  readonly segments?: number;
  readonly fault?: string;
  /** The answer, or how the request ends without a whole one. */
  readonly result:
    | "cut"
    | "half"
    | "hang"
    | "stream"
    | { readonly status: number; readonly errorCode: string | undefined };
}

/** Returns the line of a send on a terminal; nothing elsewhere. */
export function handledText(
  { at, to, mode, segments, fault, result }: HandledSend,
  { isTerminal, paint }: Page,
): string {
  if (!isTerminal) return "";
  const isAnswer = typeof result === "object";
  const ends = { cut: "cut off", half: "cut half-way", hang: "never answered", stream: "" };
  const words = isAnswer ? [result.status, result.errorCode] : [ends[result]];
  const answer = [...words, fault && `(${fault})`].filter(Boolean).join(" ");
  const colour = segments === undefined ? paint.bad : isAnswer && fault === undefined ? paint.good : paint.doubtful;
  const length = segments === undefined ? "" : `, ${plural(segments, "segment")}`;
  const recipient = to === undefined ? "no number" : logWord(to);
  return `${paint.faint(clock(at))}  ${(mode ?? "-").padEnd(7)}  ${recipient}${length}  ${colour(answer)}\n`;
}

/** Returns a message that a sandbox accepted as a line without its text. */
export function receivedText({ at, to, mode, segments }: ReceivedMessage): string {
  return `${at} ${mode} ${to}, ${plural(segments, "segment")}`;
}

/** The local time of day, as in 14:05:09. */
function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Says what a sandbox received. */
export function tallyText(tally: {
  readonly messages: number;
  readonly segments: number;
  readonly credits: number;
}): string {
  const { messages, segments, credits } = tally;
  return `Received ${plural(messages, "message")} in ${plural(segments, "segment")}, charged ${plural(credits, "credit")}.`;
}

/** Returns the log line of a request. `result` is the status of the answer, or how the request ended without one. */
export function requestText(
  at: number,
  request: { readonly method: string; readonly path: string },
  result: number | string,
  details: Readonly<Record<string, string | number | undefined>>,
): string {
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  const words = known.map(([name, value]) => `${name}=${logWord(value)}`);
  return [new Date(at).toISOString(), request.method, logWord(request.path), result, ...words].join(" ");
}

/** Returns a value as one word, in quotes unless it is plain, so that no value looks like another field or line. */
function logWord(value: string | number | undefined): string {
  const text = String(value);
  return /^[!#-&(-~]{1,64}$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return visible(JSON.stringify(text.length > 64 ? `${text.slice(0, 64).toWellFormed()}…` : text));
}
