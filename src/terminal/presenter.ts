// terminal: how anything is shown and asked.

import { countText } from "../words/count.ts";
import { endings, type FailureReport, type FaultSummary, fileError, type OutcomeKind, SmsError } from "../errors.ts";
import type { Host, Output } from "../host.ts";
import type { Context, OutputStyle, Page, Presenter } from "./context.ts";
import { isObject } from "../json.ts";
import { noPaint, paintFor } from "./paint.ts";
import type { Redactor } from "./redact.ts";
import { failureHeading, paragraph, jsonLine, visible } from "./text.ts";
import { waitingLines } from "./waiting.ts";
import type { wireLog } from "./wire-log.ts";
import { reportHint } from "../version.ts";
import { isShownExactly } from "../words/shell-word.ts";

export async function presenterFor(host: Host, redactor: Redactor, style: OutputStyle): Promise<Presenter> {
  const openLog = style.verbose ? (await import("./wire-log.ts")).wireLog : undefined;
  const open = (always: (line: string) => void) => openLog?.(always, redactor.redactForeign);
  const { redactQuoted: redact } = redactor;
  return style.json ? jsonPresenter(host, redact, open) : humanPresenter(host, redact, style, open);
}

export async function contextFor(
  host: Host,
  redactor: Redactor,
  style: OutputStyle,
  argv: readonly string[] = [],
): Promise<Context> {
  return { host, redactor, presenter: await presenterFor(host, redactor, style), argv };
}

type OpenLog = (always: (line: string) => void) => ReturnType<typeof wireLog> | undefined;

function jsonPresenter({ stdout, stderr }: Host, redact: Page["redact"], openLog: OpenLog): Presenter {
  const warnings: string[] = [];
  const page: Page = { isTerminal: false, columns: Infinity, paint: noPaint, foreign: redact, redact };
  const always = (line: string) => stderr.write(`${visible(line)}\n`);
  const warn = (text: string) => void warnings.push(redact(text));
  const withWarnings = (value: Readonly<Record<string, unknown>>) =>
    warnings.length === 0 ? value : { ...value, warnings: [value["warnings"] ?? [], warnings.splice(0)].flat() };
  return {
    show: (view) => {
      const value = view.json(page);
      stdout.write(jsonLine(isObject(value) ? withWarnings(value) : value));
    },
    stream: (view) => pour(stdout, view.isList ? jsonList(view.json(page)) : jsonLines(view.json(page))),
    tell: () => {},
    showsWaits: false,
    showsExactly: (text) => redact(text) === text,
    waitFor: (_, work) => work(),
    wireLog: openLog(always),
    note: () => {},
    warn,
    insist: warn,
    always,
    fail: ({ kind, message, errorCode, httpStatus, outcome, hint, details = [], faults, replayed }) => {
      const failure = {
        error: redact(message),
        errorCode: redact(errorCode),
        httpStatus,
        outcome,
        exitCode: endings[kind].exitCode,
        replayed,
        hint: hint && redact(hint),
        details: details.length > 0 ? details.map(redact) : undefined,
        reasons: faults?.reasons.map(({ reason, rows }) => ({ reason, rows })),
        usable: faults?.usable,
      };
      stderr.write(jsonLine(withWarnings(failure)));
    },
  };
}

export function failureIn(error: unknown, sends: boolean): FailureReport {
  const report = error instanceof SmsError ? error : fileError(error);
  if (report !== undefined) {
    const { kind, message, errorCode, httpStatus, hint, details, faults, outcome, isSlip } = report;
    return { kind, message, errorCode, httpStatus, hint, details, faults, isSlip, ...(sends && { outcome }) };
  }
  const message = `sms itself failed: ${error instanceof Error ? error.message : String(error)}`;
  return { kind: "fault", message, errorCode: "FAULT", hint: reportHint };
}

const uncertainTest = "The service may have taken the message; no phone receives it.";

const outcomeSentence = {
  accepted: "The message was accepted.",
  rejected: "The service refused the message: nothing was sent.",
  unsent: "Nothing was sent.",
  uncertain: "The message may have gone out: it may be on the phone, and it may have been charged.",
  pending: "Nothing was sent.",
} as const satisfies Record<OutcomeKind, string>;

async function humanPresenter(
  host: Host,
  redact: Page["redact"],
  { quiet, color }: OutputStyle,
  openLog: OpenLog,
): Promise<Presenter> {
  const { stdout, stderr } = host;
  const showsExactly = (text: string) => isShownExactly(text) && redact(text) === text;
  const shownWord = (word: string) => (showsExactly(word) ? word : "(with characters that a terminal hides)");
  const shownCommand = (command: string) =>
    showsExactly(command) ? command : command.slice(1, -1).replace(wordInShell, shownWord);
  const foreign = (text: string) => visible(redact(text.replace(commandInText, shownCommand)));
  const out = await paintFor(color && stdout.hasColor());
  const err = await paintFor(color && stderr.hasColor());
  const showsWaits = !quiet && stderr.isTerminal() && !host.environment["CI"] && host.environment["TERM"] !== "dumb";
  const waiting = showsWaits ? waitingLines(host, color && stderr.hasColor(), foreign) : undefined;
  const print = (output: Output, text: string) => {
    if (text === "") return;
    if (output.isTerminal()) waiting?.clear();
    output.write(text);
  };
  const say = (text: string, margin = 0, heading = "", paint = (words: string) => words) => {
    const start = heading === "" ? "" : `${paint(heading)} `;
    const column = margin + (heading === "" ? 0 : heading.length + 1);
    const words = foreign(text);
    const lines = stderr.isTerminal()
      ? paragraph(words, { columns: stderr.columns(), column, indent: margin + 2 })
      : words;
    print(stderr, `${" ".repeat(margin)}${start}${lines}\n`);
  };
  const insist = (text: string) => say(text, 0, "Warning:", err.doubtful);
  const always = (line: string) => print(stderr, `${visible(line)}\n`);
  const page = { isTerminal: stdout.isTerminal(), columns: stdout.columns(), paint: out, foreign, redact };
  return {
    show: (view) => {
      const lines = () => view.quiet?.(page).map((line) => `${line}\n`) ?? [];
      print(stdout, quiet ? lines().join("") : view.text(page));
    },
    stream: (view) => pour({ ...stdout, write: (text) => print(stdout, text) }, view.text(page)),
    tell: (text) => {
      const { columns, isTerminal } = stderr;
      if (!quiet) print(stderr, text({ ...page, isTerminal: isTerminal(), columns: columns(), paint: err }));
    },
    showsWaits,
    showsExactly,
    waitFor: (wait, work) => (waiting === undefined ? work() : waiting.during(wait, work)),
    wireLog: openLog(always),
    note: (text) => {
      if (!quiet) say(text);
    },
    warn: (text) => {
      if (!quiet) insist(text);
    },
    insist,
    always,
    fail: ({ kind, message, outcome, reachesPhone, isSlip, httpStatus, errorCode, hint, details = [], faults }) => {
      // A person's own decision is not an error.
      const isDeclined = kind === "usage" && errorCode === "DECLINED";
      // A sentence below says that nothing was sent.
      const isError = kind === "usage" || kind === "fault" || outcome === undefined || outcome === "unsent";
      const heading = `${isError ? "Error" : failureHeading[outcome]}:`;
      const status = httpStatus === undefined ? "" : `HTTP ${httpStatus}`;
      const origin = status === "" ? "" : ` (${message.includes(status) ? "" : `${status}, `}${errorCode})`;
      if (isDeclined) say(message);
      else say(`${message}${origin}`, 0, heading, err.bad);
      if (faults === undefined || details.length <= mostDetails) for (const detail of details) say(detail, 2);
      else sayFaults(faults, say);
      const isTest = outcome === "uncertain" && reachesPhone === false;
      if (outcome !== undefined && !isDeclined) say(isTest ? uncertainTest : outcomeSentence[outcome], 2);
      else if (isSlip) say("Nothing was sent or stored.", 2);
      if (hint !== undefined) say(hint, 2, "Next:", err.faint);
    },
  };
}

/** A word in single quotes may have backticks. */
const commandInText = /`(?:(?:sms|mv|chmod|tail) |--)(?:'[^']*'|[^`'])*`/g;

const wordInShell = /(?:'[^']*'|[^\s'])+/g;

const mostDetails = 3;

function sayFaults({ reasons, usable }: FaultSummary, say: (text: string, margin: number) => void): void {
  for (const { rows, words, first } of reasons) {
    say(`${countText(rows)}: ${words}`, 2);
    for (const row of first) say(row, 4);
  }
  if (usable !== undefined) say(`${countText(usable)} could be used.`, 2);
}

async function pour(output: Output, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    output.write(piece);
    await output.flush();
    if (output.failure() !== undefined) return;
  }
}

async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield jsonLine(value);
}

const pieceSize = 8 * 1024;

async function* jsonList(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let piece = "[";
  let separator = "";
  for await (const value of values) {
    piece += separator + jsonLine(value).trimEnd();
    separator = ",";
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]\n`;
}
