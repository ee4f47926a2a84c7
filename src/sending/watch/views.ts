import type { Mode } from "../../service/credentials.ts";
import type { Failure, Outcome } from "../../message/outcome.ts";
import type { ErrorKind } from "../../errors.ts";
import { localText, type Zone } from "../../guards/hours.ts";
import type { Page, Presenter, View } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import { countText, plural } from "../../words/count.ts";
import { paragraph, sendHint } from "../../terminal/text.ts";
import type { Batch } from "./batch.ts";
import type { Delay, Notice } from "./gatherer.ts";

interface Told {
  /** When it was begun. Milliseconds since 1970. */
  readonly at: number;
  readonly to: string;
  readonly text: string;
  readonly segments: number;
  readonly notice: Notice;
  readonly zone: Zone;
  readonly mode: Mode;
}

/** Shows a text and what became of it; undefined if it is a dry run. */
export function textView(told: Told, outcome: Outcome | undefined): View {
  const { at, to, text, segments, notice, mode } = told;
  const { batch, quietSince } = notice;
  return {
    json: ({ redacted }) => ({
      at: new Date(at).toISOString(),
      to,
      outcome: outcome?.kind ?? "pending",
      ...(outcome?.kind === "accepted"
        ? receiptOf(outcome, redacted)
        : outcome && {
            error: redacted(outcome.failure.error),
            errorCode: redacted(outcome.failure.errorCode),
            httpStatus: outcome.failure.httpStatus,
          }),
      segments,
      lines: batch?.lines ?? 0,
      kinds: batch?.kinds.size ?? 0,
      ...(batch && { from: new Date(batch.from).toISOString(), until: new Date(batch.until).toISOString() }),
      ...(quietSince !== undefined && { quietSince: new Date(quietSince).toISOString() }),
      text: redacted(text),
      mode,
    }),
    quiet: () => {
      if (outcome?.kind === "rejected") return [];
      return [outcome?.kind === "accepted" ? visible(outcome.receipt.messageId) : visible(text)];
    },
    text: (page) => lineOf(told, outcome, page),
  };
}

function receiptOf({ receipt }: Extract<Outcome, { kind: "accepted" }>, redacted: Page["redacted"]) {
  const { messageId, totalCredits, totalCostKes, newBalance } = receipt;
  return { messageId: redacted(messageId), totalCredits, totalCostKes, newBalance };
}

function lineOf({ at, to, text, segments, notice, zone }: Told, outcome: Outcome | undefined, page: Page): string {
  const { paint, foreign } = page;
  const seconds = String(new Date(at).getUTCSeconds()).padStart(2, "0");
  const when = paint.faint(`${localText(zone, at)}:${seconds}`);
  const what = batchText(notice.batch);
  const size = plural(segments, "segment");
  if (outcome === undefined) {
    const shown = text.split("\n").map((line) => `    ${foreign(line)}\n`);
    return `${when}  would send to ${to}: ${what} (${size})\n${shown.join("")}`;
  }
  if (outcome.kind === "uncertain") {
    const doubt = `${foreign(outcome.failure.error)}; it may be on the phone, and is not repeated`;
    return `${when}  ${paint.doubtful("?")} to ${to}: ${what}: ${doubt}\n`;
  }
  if (outcome.kind !== "accepted") {
    const { httpStatus } = outcome.failure;
    const status = httpStatus === undefined ? "" : ` (HTTP ${httpStatus})`;
    return `${when}  ${paint.bad("✗")} to ${to}: ${what}: the service refuses it${status}, and it is not tried again\n`;
  }
  const { totalCredits } = outcome.receipt;
  const cost = totalCredits === undefined ? "" : `, ${plural(totalCredits, "credit")}`;
  return `${when}  ${paint.good("✓")} to ${to}: ${what} (${size}${cost})\n`;
}

function batchText(batch: Batch | undefined): string {
  if (batch === undefined) return "quiet";
  if (batch.lines === 1) return "1 line";
  const kinds = `${batch.others > 0 ? "over " : ""}${plural(batch.kinds.size, "kind")}`;
  return `${plural(batch.lines, "line")} of ${kinds}`;
}

interface Unsent {
  readonly to: string;
  readonly source: string;
  /** Whether its lines are in the next text. */
  readonly isKept: boolean;
}

/** Says why a text was not sent. */
export function sayFailure(
  { failure, ...outcome }: Exclude<Outcome, { kind: "accepted" | "uncertain" }>,
  { to, source, isKept }: Unsent,
  presenter: Presenter,
): void {
  const { kind, error, errorCode, httpStatus } = failure;
  const again = isKept ? "the next text has its lines, too" : undefined;
  const ownHint = ("hint" in outcome ? outcome.hint : undefined) ?? wayOut(failure, source);
  const hint = [ownHint, again].filter((part) => part !== undefined).join("; ");
  presenter.fail({
    kind,
    message: error.startsWith(to) ? error : `${to}: ${error}`,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    ...(hint !== "" && { hint }),
  });
}

function wayOut({ kind }: Failure, source: string): string | undefined {
  if (kind === "no-credits") return "top up the account";
  return kind === "unauthorized" || kind === "forbidden" ? sendHint(kind, source, "") : undefined;
}

interface Untold {
  readonly to: string;
  readonly batch: Batch;
  readonly delay: Delay | undefined;
}

export function sayUntold(
  { untold, kind, atMost }: { readonly untold: readonly Untold[]; readonly kind: ErrorKind; readonly atMost: string },
  presenter: Presenter,
): void {
  const reasons: Readonly<Record<Delay, string>> = {
    limit: `--at-most ${atMost} allows no more`,
    hours: "it is outside the hours",
    unsent: "no text could be sent",
  };
  const lines = Math.max(...untold.map(({ batch }) => batch.lines));
  presenter.fail({
    kind,
    message: lines === 1 ? "1 line was not sent" : `${plural(lines, "line")} were not sent`,
    errorCode: "NOT_ALL_SENT",
    details: untold.map(({ to, batch, delay }) => {
      const reason = delay === undefined ? "" : `: ${reasons[delay]}`;
      return `${to}: ${batchText(batch)}${reason}`;
    }),
  });
}

interface Status {
  readonly lines: number;
  readonly kinds: number;
  readonly texts: number;
  /** How many more texts may go to each recipient now. */
  readonly room: number;
  readonly atMost: string;
  /** When the next text is due, in milliseconds from now. */
  readonly next: number;
  readonly isOpen: boolean;
}

/** Returns what a person sees while lines are gathered. */
export function statusLines(status: Status, columns: number): readonly string[] {
  const { lines, kinds, texts, room, atMost, next, isOpen } = status;
  const due = Number.isFinite(next) ? [`next text in ${countText(Math.max(0, Math.ceil(next / 1000)))} s`] : [];
  const parts = [
    plural(lines, "line"),
    ...(kinds === 0 ? [] : [`${plural(kinds, "kind")} gathered`]),
    `${plural(texts, "text")} sent`,
    `${countText(room)} left of ${atMost}`,
    ...(isOpen ? due : ["outside the hours"]),
  ];
  return paragraph(parts.join(", "), { columns, used: 0, indent: 0 }).split("\n");
}
