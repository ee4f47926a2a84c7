import { type EndingKind, endings } from "../errors.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Tally } from "../runs/ledger.ts";
import type { Page, Presenter } from "./presenter.ts";
import { recipientView } from "./recipient.ts";
import type { Unaccepted } from "./run-summary.ts";
import { plural } from "./text.ts";

/** The most failures that are kept for the summary. */
const mostShown = 10;

/** Shows a run while it is sent, and keeps the first failures. */
export interface RunProgress {
  readonly event: (event: RunEvent, tally: Tally) => void;
  readonly failures: readonly Unaccepted[];
}

/** Starts to show a run. */
export function showProgress(presenter: Presenter): RunProgress {
  const failures: Unaccepted[] = [];
  const advance = presenter.startProgress();
  return {
    failures,
    event: (event, tally) => {
      if (event.kind !== "settled") return presenter.tell((page) => eventText(event, page));
      const { message, outcome } = event;
      presenter.show(recipientView(message, outcome));
      if (outcome.kind !== "accepted" && failures.length < mostShown) failures.push({ message, outcome });
      advance(tally);
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
      return error ?? "one more message could bring the charge over --max-credits";
    default:
      return error === undefined ? endings[why].when : `${error}; the rest would fail the same way`;
  }
}
