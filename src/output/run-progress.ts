import { type EndingKind, endings } from "../errors.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Ledger, Tally } from "../runs/ledger.ts";
import type { Page, Presenter } from "./presenter.ts";
import { progressLine } from "./progress.ts";
import { recipientView } from "./recipient.ts";
import type { Unaccepted } from "./run-summary.ts";
import { plural } from "./text.ts";
import type { Wait } from "./waiting.ts";

/** The most failures that are kept for the summary. */
const mostShown = 10;

/** Shows a run while it is sent, and keeps the first failures. */
export interface RunProgress {
  readonly event: (event: RunEvent, tally: Tally) => void;
  readonly failures: readonly Unaccepted[];
  /** How far the run is, with a countdown below while the service asks to wait. */
  readonly wait: Wait;
}

/** Starts to show a run of which this invocation sends `due` messages and holds back `held`. */
export function showProgress(
  presenter: Presenter,
  ledger: Ledger,
  { due, held }: { readonly due: number; readonly held: number },
  now: () => number,
): RunProgress {
  const began = now();
  const failures: Unaccepted[] = [];
  const { messages: all } = ledger;
  const before = ledger.tally();
  const doneBefore = all - due - held;
  let failed = doneBefore - before.accepted;
  let cost = before.totalCostKes;
  let sent = 0;
  let pause: { readonly until: number; readonly why: string } | undefined;
  return {
    failures,
    event: (event, tally) => {
      if (event.kind === "waiting") pause = { until: now() + event.ms, why: event.failure.error };
      // The countdown replaces this sentence.
      if (event.kind === "waiting" && presenter.showsWaits) return;
      if (event.kind !== "settled") return presenter.tell((page) => eventText(event, page));
      const { message, outcome } = event;
      presenter.show(recipientView(message, outcome));
      sent++;
      cost = tally.totalCostKes;
      if (outcome.kind === "accepted") return;
      failed++;
      if (failures.length < mostShown) failures.push({ message, outcome });
    },
    wait: {
      lines: (columns) => {
        const figures = { all, done: doneBefore + sent, failed, cost, left: due - sent, sent, ms: now() - began };
        const seconds = pause === undefined ? 0 : Math.ceil((pause.until - now()) / 1000);
        const line = progressLine(figures, columns);
        return pause === undefined || seconds <= 0 ? [line] : [line, `Waiting ${seconds} s: ${pause.why}`];
      },
    },
  };
}

function eventText(event: Exclude<RunEvent, { kind: "settled" }>, { paint, foreign }: Page): string {
  switch (event.kind) {
    case "waiting":
      return `${paint.faint(`Waiting ${(event.ms / 1000).toFixed(0)} s: ${foreign(event.failure.error)}`)}\n`;
    case "stopping": {
      const reason = stopSentence(event.why, event.failure && foreign(event.failure.error));
      return `${paint.doubtful("Stopping:")} ${reason}\n`;
    }
    case "held":
      return `${paint.doubtful("Left out:")} ${event.hold.reason}\n`;
    case "over-limit":
      return `${paint.bad("Over your limit:")} the service charged ${plural(event.charged, "credit")}: it counted more segments than sms had\n`;
  }
}

function stopSentence(why: EndingKind, error: string | undefined): string {
  switch (why) {
    case "hung-up":
    case "interrupted":
    case "terminated":
      return "finishing requests in flight; press Ctrl-C again to quit now";
    case "limit":
      return error ?? endings[why].when;
    default:
      return error === undefined ? endings[why].when : `${error}; the rest would fail the same way`;
  }
}
