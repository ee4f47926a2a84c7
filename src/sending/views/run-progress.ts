import { countText, plural } from "../../words/count.ts";
import { kes } from "../../terminal/text.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { durationText } from "../../words/duration.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page, Presenter } from "../../terminal/presenter.ts";
import type { SendEvent } from "../engine.ts";
import { type Ledger, recipientsOf, type Tally } from "../../record/ledger.ts";
import { onHoldText } from "./send-progress.ts";
import { Failures } from "./run-failures.ts";
import { recipientJson } from "./outcome-json.ts";

const reportInterval = 60_000;

export function showProgress(
  presenter: Presenter,
  ledger: Ledger,
  { size, heldBack }: { readonly size: number; readonly heldBack: number },
  now: () => number,
) {
  const began = now();
  const failures = new Failures();
  const before = ledger.tally();
  const all = recipientsOf(before);
  const doneBefore = all - size - heldBack;
  let failed = doneBefore - before.accepted;
  let cost = before.totalCostKes;
  let sent = 0;
  let pause: { readonly until: number; readonly why: string } | undefined;
  let holdEnd: string | undefined;
  let reported = began;
  let announcedUntil = -Infinity;
  const progress = (): Progress => {
    const ms = now() - began;
    return { all, done: doneBefore + sent, failed, cost, left: size - sent, sent, ms };
  };
  return {
    failures,
    event: (event: SendEvent, tally: Tally) => {
      if (event.kind === "waiting") {
        const until = now() + event.ms;
        pause = { until, why: event.failure.error };
        // A terminal has a countdown; elsewhere one sentence is enough for messages that wait together.
        if (presenter.showsWaits || until < announcedUntil + 1_000) return;
        announcedUntil = until;
      }
      holdEnd = event.kind === "on-hold" ? event.until.text : undefined;
      if (event.kind !== "settled") return presenter.tell((page) => eventText(event, page));
      const { message, outcome } = event;
      presenter.show({ json: (page) => recipientJson(message, outcome, page), quiet: () => [], text: () => "" });
      sent++;
      cost = tally.totalCostKes;
      failures.add(message, outcome);
      if (outcome.kind !== "accepted") failed++;
      if (presenter.showsWaits || now() - reported < reportInterval) return;
      reported = now();
      presenter.note(figuresOf(progress()).join(", ").trimStart());
    },
    status: {
      lines: (columns: number) => {
        const seconds = pause === undefined ? 0 : Math.ceil((pause.until - now()) / 1000);
        const line = progressLine(progress(), columns);
        if (holdEnd !== undefined) return [line, `Waiting until ${holdEnd}`];
        return pause === undefined || seconds <= 0 ? [line] : [line, `Waiting ${seconds} s: ${pause.why}`];
      },
    },
  };
}

function eventText(event: Exclude<SendEvent, { kind: "settled" }>, page: Page): string {
  const { paint, foreign } = page;
  const say = (text: string) => `${fitted(page, text, [0, 2])}\n`;
  switch (event.kind) {
    case "waiting":
      return say(paint.faint(`Waiting ${Math.ceil(event.ms / 1000)} s: ${foreign(event.failure.error)}`));
    case "on-hold":
      return say(onHoldText(event));
    case "stopping": {
      const reason = stopSentence(event.why, event.failure && foreign(event.failure.error));
      return say(`${paint.doubtful("Stopping:")} ${reason}`);
    }
    case "left-out":
      return say(`${paint.doubtful("Left out:")} ${event.hold.reason}`);
    case "over-limit": {
      const charged = plural(event.charged, "credit");
      return say(
        `${paint.bad("Over your limit:")} the service charged ${charged}: it counted more segments than sms had`,
      );
    }
  }
}

function stopSentence(why: EndingKind, error: string | undefined): string {
  if (endings[why].exitCode > 128) return "finishing requests in flight; press Ctrl-C again to quit now";
  // The error itself, such as a database that is gone, is shown at the end.
  if (why === "fault") return "sending cannot go on; finishing requests in flight";
  if (error === undefined || why === "limit") return error ?? endings[why].when;
  return `${error}; the rest would fail the same way`;
}

/** Counts are of the whole run unless they say otherwise. */
interface Progress {
  readonly all: number;
  readonly done: number;
  readonly failed: number;
  readonly cost: number;
  readonly left: number;
  /** Only this invocation counts; the time is in milliseconds. */
  readonly sent: number;
  readonly ms: number;
}

/** A terminal with fewer columns has no bar. */
const leastForBar = 40;

export function progressLine(progress: Progress, columns: number): string {
  // The bar keeps its width while a run is sent.
  const width = columns < leastForBar ? 0 : Math.min(30, Math.floor(columns / 6));
  const full = Math.floor((width * progress.done) / Math.max(1, progress.all));
  const [count, ...others] = figuresOf(progress);
  let line = width === 0 ? count : `${"█".repeat(full)}${"░".repeat(width - full)} ${count}`;
  for (const other of others) if (line.length + other.length + 2 <= columns) line += `, ${other}`;
  return line;
}

function figuresOf({ all, done, failed, cost, left, sent, ms }: Progress): readonly [string, ...string[]] {
  const perMs = sent / Math.max(1, ms);
  return [
    // The count is as wide at the beginning as at the end.
    `${countText(done).padStart(countText(all).length)} of ${countText(all)}`,
    ...(failed === 0 ? [] : [`${countText(failed)} failed`]),
    ...(sent === 0 || left === 0 ? [] : [`${durationText(left / perMs)} left`]),
    ...(cost === 0 ? [] : [kes(cost)]),
    ...(sent === 0 ? [] : [`${countText(Math.round(perMs * 60_000))} a minute`]),
  ];
}
