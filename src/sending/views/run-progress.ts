import { countText, plural } from "../../words/count.ts";
import { kes } from "../../terminal/text.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { durationText } from "../../words/duration.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page, Presenter } from "../../terminal/context.ts";
import type { SendEvent } from "../engine.ts";
import { type Ledger, recipientsOf } from "../../record/ledger.ts";
import { onHoldText } from "./send-progress.ts";
import { Failures, othersTexts } from "./run-summary.ts";
import { recipientJson } from "./outcome-json.ts";

const reportInterval = 60_000;

interface ProgressStart {
  readonly countToSend: number;
  readonly retry: readonly string[] | undefined;
  readonly isCharged: boolean;
}

export function showProgress(
  presenter: Presenter,
  ledger: Ledger,
  { countToSend, retry = [], isCharged }: ProgressStart,
  now: () => number,
) {
  const began = now();
  const failures = new Failures();
  const before = ledger.tally();
  const all = recipientsOf(before);
  const doneCount = all - countToSend;
  // Whoever is not sent to again is accepted, rejected or in doubt: what was unsent is due.
  const uncertain = retry.includes("uncertain") ? 0 : before.uncertain;
  const counts = { rejected: doneCount - before.accepted - uncertain, unsent: 0, uncertain };
  const cost = before.totalCostKes;
  const progress = { all, doneCount, counts, cost, isCharged, newCount: 0, ms: 0 };
  let pause: { readonly until: number; readonly why: string } | undefined;
  let holdEnd: string | undefined;
  let reportAt = began + reportInterval;
  let announcedUntil = -Infinity;
  const update = () => {
    const tally = ledger.tally();
    progress.all = recipientsOf(tally);
    progress.cost = tally.totalCostKes;
    progress.ms = now() - began;
  };
  return {
    failures,
    event: (event: SendEvent) => {
      if (event.kind === "waiting") {
        const until = now() + event.ms;
        pause = { until, why: event.failure.error };
        // A terminal has a countdown; elsewhere one sentence is enough for messages that wait together.
        if (presenter.showsWaits || until < announcedUntil + 1_000) return;
        announcedUntil = until;
      }
      holdEnd = event.kind === "on-hold" ? event.until.text : undefined;
      if (event.kind !== "final") return presenter.tell((page) => eventText(event, page));
      const { message, outcome } = event;
      presenter.show({ json: (page) => recipientJson(message, outcome, page), text: () => "" });
      progress.newCount++;
      progress.doneCount++;
      failures.add(message, outcome);
      if (outcome.kind !== "accepted") progress.counts[outcome.kind]++;
      if (presenter.showsWaits || now() < reportAt) return;
      reportAt = now() + reportInterval;
      update();
      const [count, ...others] = figuresOf(progress);
      presenter.note([count.trimStart(), ...others].join(", "));
    },
    status: {
      lines: (columns: number) => {
        const seconds = pause === undefined ? 0 : Math.ceil((pause.until - now()) / 1000);
        update();
        const line = progressLine(progress, columns);
        if (holdEnd !== undefined) return [line, `Waiting until ${holdEnd}`];
        return pause === undefined || seconds <= 0 ? [line] : [line, `Waiting ${seconds} s: ${pause.why}`];
      },
    },
  };
}

function eventText(event: Exclude<SendEvent, { kind: "final" }>, page: Page): string {
  const { paint, foreign } = page;
  const say = (text: string) => `${fitted(page, text, [0, 2])}\n`;
  switch (event.kind) {
    case "waiting":
      return say(paint.faint(`Waiting ${Math.ceil(event.ms / 1000)} s: ${foreign(event.failure.error)}`));
    case "on-hold":
      return say(onHoldText(event));
    case "stopping": {
      const reason = stopSentence(event.why, event.failure && foreign(event.failure.error), event.hasRest);
      return say(`${paint.doubtful("Stopping:")} ${reason}`);
    }
    case "left-out":
      return say(`${paint.doubtful("Left out:")} ${event.hold.sentence}`);
    case "over-limit": {
      const charged = plural(event.charged, "credit");
      return say(
        `${paint.bad("Over your limit:")} the service charged ${charged}: it counted more segments than sms had`,
      );
    }
  }
}

function stopSentence(why: EndingKind, error: string | undefined, hasRest: boolean): string {
  if (endings[why].exitCode > 128) return "finishing requests in flight; press Ctrl-C again to quit now";
  // The error itself, such as a database that is gone, is shown at the end.
  if (why === "fault") return "sending cannot go on; finishing requests in flight";
  if (error === undefined || why === "limit") return error ?? endings[why].when;
  return hasRest ? `${error}; the rest would fail the same way` : error;
}

interface Progress {
  readonly all: number;
  readonly doneCount: number;
  readonly counts: Readonly<Record<"rejected" | "unsent" | "uncertain", number>>;
  readonly cost: number;
  readonly isCharged: boolean;
  /** So many messages became final in `ms` of this command; the other counts are of the whole run. */
  readonly newCount: number;
  readonly ms: number;
}

/** A terminal with fewer columns has no bar. */
const leastForBar = 40;

export function progressLine(progress: Progress, columns: number): string {
  // The bar keeps its width while a run is sent.
  const width = columns < leastForBar ? 0 : Math.min(30, Math.floor(columns / 6));
  const full = Math.floor((width * progress.doneCount) / Math.max(1, progress.all));
  const [count, ...others] = figuresOf(progress);
  const isWithBar = width > 0 && width + 1 + count.length <= columns;
  let line = isWithBar ? `${"█".repeat(full)}${"░".repeat(width - full)} ${count}` : count;
  for (const other of others) {
    // A figure that comes and goes with its width would flicker.
    if (line.length + other.length + 2 > columns) break;
    line += `, ${other}`;
  }
  return line;
}

function figuresOf(progress: Progress): readonly [string, ...string[]] {
  const { all, doneCount, counts, cost, isCharged, newCount } = progress;
  const perMs = newCount / Math.max(1, progress.ms);
  return [
    // The count is as wide at the beginning as at the end.
    [`${countText(doneCount).padStart(countText(all).length)} of ${countText(all)}`, ...othersTexts(counts)].join(", "),
    ...(newCount === 0 || doneCount === all ? [] : [`${durationText((all - doneCount) / perMs)} left`]),
    ...(cost === 0 ? [] : [`${isCharged ? "" : "would cost "}${kes(cost)}`]),
    ...(newCount === 0 ? [] : [`${countText(Math.round(perMs * 60_000))} a minute`]),
  ];
}
