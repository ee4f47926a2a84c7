import type { Outcome } from "../../message/outcome.ts";
import { countSegments } from "../../message/segments.ts";
import type { ErrorKind } from "../../errors.ts";
import { localText, type Zone } from "../../guards/hours.ts";
import type { Page, Presenter, View } from "../../terminal/context.ts";
import { plural } from "../../words/count.ts";
import { sendHint, topUp, visible } from "../../terminal/text.ts";
import type { Destination, NotLoggedIn } from "../destination.ts";
import { outcomeJson } from "../views/outcome-json.ts";
import type { Batch } from "./batch.ts";
import type { Remainder } from "./gatherer.ts";
import { batchText } from "./wording.ts";

interface ShownNotice {
  readonly at: number;
  readonly to: string;
  readonly text: string;
  readonly batch: Batch;
  readonly zone: Zone;
  readonly destination: Destination | NotLoggedIn;
}

/** An undefined outcome is that of a dry run. */
export function noticeView(notice: ShownNotice, outcome: Outcome | undefined): View {
  const { at, to, text, batch, destination } = notice;
  return {
    json: ({ redact }) => ({
      at: new Date(at).toISOString(),
      to,
      ...outcomeJson(outcome, redact),
      segments: countSegments(text).segments,
      lines: batch.lines,
      kinds: batch.kinds.size,
      from: new Date(batch.from).toISOString(),
      until: new Date(batch.until).toISOString(),
      text: redact(text),
      mode: destination.kind === "service" ? destination.mode : null,
    }),
    quiet: () =>
      outcome?.kind === "rejected" ? [] : [visible(outcome?.kind === "accepted" ? outcome.receipt.messageId : text)],
    text: (page) => shownLine(notice, outcome, page),
  };
}

function shownLine(notice: ShownNotice, outcome: Outcome | undefined, page: Page): string {
  const { at, to, text, batch, zone } = notice;
  const { paint, foreign } = page;
  const seconds = String(new Date(at).getUTCSeconds()).padStart(2, "0");
  const when = paint.faint(`${localText(zone, at)}:${seconds}`);
  const what = `to ${to}: ${batchText(batch)}`;
  const size = plural(countSegments(text).segments, "segment");
  if (outcome === undefined) {
    const lines = text.split("\n").map((line) => `    ${foreign(line)}\n`);
    return `${when}  would send ${what} (${size})\n${lines.join("")}`;
  }
  if (outcome.kind === "accepted") {
    const { totalCredits } = outcome.receipt;
    const cost = totalCredits === undefined ? "" : `, ${plural(totalCredits, "credit")}`;
    return `${when}  ${paint.good("✓")} ${what} (${size}${cost})\n`;
  }
  const { error, httpStatus } = outcome.failure;
  if (outcome.kind === "uncertain")
    return `${when}  ${paint.doubtful("?")} ${what}: ${foreign(error)}; the service may have it, and it is not repeated\n`;
  const status = httpStatus === undefined ? "" : ` (HTTP ${httpStatus})`;
  return `${when}  ${paint.bad("✗")} ${what}: the service refuses it${status}, and it is not tried again\n`;
}

/** The next notice has the lines of this one as well. */
export function sayFailure(
  to: string,
  outcome: Extract<Outcome, { kind: "rejected" | "unsent" }>,
  source: string,
  presenter: Presenter,
): void {
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  const isOfKey = kind === "unauthorized" || kind === "forbidden";
  const usual = kind === "no-credits" ? topUp : isOfKey ? sendHint(kind, source, "") : undefined;
  const hint = outcome.hint ?? usual;
  const message = error.startsWith(to) ? error : `${to}: ${error}`;
  presenter.fail({ kind, message, errorCode, httpStatus, outcome: outcome.kind, hint });
}

export function sayRemainders(
  remainders: readonly (Remainder & { readonly to: string })[],
  kind: ErrorKind,
  presenter: Presenter,
): void {
  const lines = Math.max(...remainders.map(({ batch }) => batch.lines));
  const details = remainders.map(({ to, batch, delay }) => {
    const reason = delay === undefined ? "" : `: ${delay.sentence}`;
    return `${to}: ${batchText(batch)}${reason}`;
  });
  const message = lines === 1 ? "1 line was not sent" : `${plural(lines, "line")} were not sent`;
  presenter.fail({ kind, message, errorCode: "NOT_ALL_SENT", details });
}
