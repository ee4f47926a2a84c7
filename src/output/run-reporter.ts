import type { Mode } from "../core/credentials.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Tally } from "../runs/ledger.ts";
import type { RunEvent } from "../runs/events.ts";
import type { PlannedMessage } from "../runs/plan.ts";
import { type EndingKind, endings } from "../errors.ts";
import type { Host } from "../host.ts";
import { alignedLines } from "./aligned.ts";
import { type Paint, paintFor } from "./paint.ts";
import { progressLine } from "./progress.ts";
import type { Redactor } from "./redact.ts";
import { jsonLine, visible } from "./sanitize.ts";
import { estimateText, failureHeading, kes, type KnownPrice, modeSentence, plural } from "./text.ts";

/** What a run comes to before it begins. */
export interface RunPlan {
  readonly run: string;
  readonly recipients: number;
  readonly segments: number;
  readonly mode: Mode;
  /** Requests per minute at most. */
  readonly rate: number;
  readonly price: KnownPrice | undefined;
  /** What was left out, in words; empty where nothing was. */
  readonly leftOut: readonly string[];
  /** What else should be known before it is sent, in words. */
  readonly warnings: readonly string[];
}

/** Turns a run into bytes: for people, for scripts. Results go to stdout, all else to stderr. */
export interface RunReporter {
  readonly planned: (plan: RunPlan, isDryRun: boolean) => void;
  readonly event: (event: RunEvent, tally: Tally) => void;
  readonly ended: (run: string, tally: Tally, ending: EndingKind) => void;
}

/** The line of a recipient (docs/scripting.md). */
export function recipientJson(
  { line, to }: PlannedMessage,
  outcome: Outcome | undefined,
  redactor: Redactor,
) {
  const head = { type: "recipient", line, to, outcome: outcome?.kind ?? "pending" };
  if (outcome === undefined) return head;
  if (outcome.kind === "accepted") {
    const { messageId, segments, totalCredits, totalCostKes, newBalance } = outcome.receipt;
    return { ...head, messageId, segments, totalCredits, totalCostKes, newBalance };
  }
  const { httpStatus, error, errorCode } = outcome.failure;
  return {
    ...head,
    httpStatus,
    error: redactor.redactForeign(error),
    errorCode: redactor.redactForeign(errorCode),
  };
}

/** The summary of a run (docs/scripting.md). */
export function summaryJson(run: string, tally: Tally, exitCode: number) {
  const { accepted, rejected, unsent, uncertain, pending, segments, totalCredits, totalCostKes, newBalance } =
    tally;
  const recipients = accepted + rejected + unsent + uncertain + pending;
  const counts = { recipients, accepted, rejected, unsent, uncertain, pending };
  return { type: "summary", run, ...counts, segments, totalCredits, totalCostKes, newBalance, exitCode };
}

/** Reports to a script: NDJSON, a line for each recipient as it ends, and the summary last. */
export function jsonRunReporter({ stdout }: Host, redactor: Redactor): RunReporter {
  let notes: Partial<Pick<RunPlan, "leftOut" | "warnings">> = {};
  return {
    planned: ({ run, recipients, segments, mode, rate, price, leftOut, warnings }, isDryRun) => {
      notes = { ...(leftOut.length > 0 && { leftOut }), ...(warnings.length > 0 && { warnings }) };
      if (!isDryRun) return;
      const plan = { type: "plan", dryRun: true, run, recipients, segments, totalCredits: segments };
      stdout.write(
        jsonLine({ ...plan, kesPerCredit: price?.kesPerCredit ?? null, rate, mode, leftOut, warnings }),
      );
    },
    event: (event) => {
      if (event.kind === "settled")
        stdout.write(jsonLine(recipientJson(event.message, event.outcome, redactor)));
    },
    ended: (run, tally, ending) => {
      stdout.write(jsonLine({ ...summaryJson(run, tally, endings[ending].exitCode), ...notes }));
    },
  };
}

/** As many failures are shown by their lines. */
const mostShown = 10;

/** Reports to a person. `quiet` prints the ids of accepted messages alone. */
export async function humanRunReporter(host: Host, redactor: Redactor, quiet: boolean): Promise<RunReporter> {
  const { stdout, stderr } = host;
  const paint = await paintFor(stdout.hasColor());
  const errPaint = await paintFor(stderr.hasColor());
  const foreign = (text: string) => visible(redactor.redactForeign(text));
  const progress = quiet ? undefined : progressLine(host);
  const failures: string[] = [];
  const say = (text: string) => {
    if (quiet) return;
    progress?.clear();
    stderr.write(`${text}\n`);
  };
  return {
    planned: (plan, isDryRun) => {
      if (quiet) return;
      const output = isDryRun ? stdout : stderr;
      if (isDryRun) output.write("Dry run: nothing was sent.\n");
      output.write(alignedLines(isDryRun ? paint : errPaint, planLines(plan, foreign)));
    },
    event: (event, tally) => {
      switch (event.kind) {
        case "settled":
          if (event.outcome.kind === "accepted") {
            if (quiet) stdout.write(`${foreign(event.outcome.receipt.messageId)}\n`);
          } else if (failures.length < mostShown) {
            failures.push(failureLine(event.message, event.outcome, foreign));
          }
          progress?.show(tally);
          return;
        case "waiting":
          say(errPaint.faint(`Waiting ${(event.ms / 1000).toFixed(0)} s: ${foreign(event.failure.error)}`));
          return;
        case "stopping":
          say(
            `${errPaint.doubtful("Stopping:")} ${stopSentence(event.why, event.failure && foreign(event.failure.error))}`,
          );
          return;
        case "over-limit":
          say(
            `${errPaint.bad("Over your limit:")} the service charged ${plural(event.charged, "credit")}: it counted more segments than sms had`,
          );
      }
    },
    ended: (run, tally, ending) => {
      progress?.clear();
      if (quiet) return;
      stdout.write(summaryText(run, tally, paint));
      for (const failure of failures) stdout.write(`  ${failure}\n`);
      const more = tally.rejected + tally.unsent + tally.uncertain - failures.length;
      if (failures.length === mostShown && more > 0)
        stdout.write(`  and ${more} more: sms runs show ${run} --failed\n`);
      if (ending !== "accepted") stdout.write(nextText(run, tally, paint));
    },
  };
}

function planLines(
  { run, recipients, segments, mode, rate, price, leftOut, warnings }: RunPlan,
  foreign: (text: string) => string,
) {
  const minutes = recipients / rate;
  const time = minutes < 1 ? "under a minute" : `about ${plural(Math.ceil(minutes), "minute")}`;
  return [
    ["Run", foreign(run)],
    ["Recipients", String(recipients)],
    ...leftOut.map((text) => ["Left out", foreign(text)] as const),
    ...warnings.map((text) => ["Warning", foreign(text)] as const),
    ["Segments", String(segments)],
    ["Estimate", estimateText(segments, price)],
    ["Time", `${time}, at ${rate} a minute`],
    ["Mode", modeSentence[mode]],
  ] as const;
}

/** A run's tally for a person. */
export function summaryText(run: string, tally: Tally, paint: Paint): string {
  const { accepted, rejected, unsent, uncertain, pending, totalCredits, totalCostKes, newBalance } = tally;
  const all = accepted + rejected + unsent + uncertain + pending;
  const others = [
    [rejected, "rejected"],
    [unsent, "not sent"],
    [uncertain, "uncertain"],
    [pending, "not tried yet"],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const mark = accepted === all ? paint.good("✓") : paint.doubtful("!");
  const balance = newBalance === undefined ? "" : `, ${plural(newBalance, "credit")} left`;
  return [
    `${mark} Run ${visible(run)}: ${accepted} of ${all} accepted${rest.length === 0 ? "" : `, ${rest.join(", ")}`}\n`,
    `  ${plural(totalCredits, "credit")} charged, ${kes(totalCostKes)}${balance}\n`,
  ].join("");
}

/** One recipient who was not sent to, for a person. */
export function failureLine(
  { line, to }: PlannedMessage,
  outcome: Outcome | undefined,
  foreign: (text: string) => string,
): string {
  if (outcome === undefined) return `line ${line}  ${to}  not tried yet`;
  const why = outcome.kind === "accepted" ? "" : `: ${foreign(outcome.failure.error)}`;
  return `line ${line}  ${to}  ${failureHeading[outcome.kind].toLowerCase()}${why}`;
}

function nextText(run: string, tally: Tally, paint: Paint): string {
  const lines: string[] = [];
  if (tally.pending + tally.unsent > 0) lines.push(`sms runs resume ${run}`);
  if (tally.uncertain > 0) lines.push(`sms runs show ${run}  (what may or may not have gone out)`);
  if (tally.rejected > 0) lines.push(`sms runs resume ${run} --retry rejected  (once the cause is mended)`);
  return lines.map((line) => `  ${paint.faint("Next:")} ${line}\n`).join("");
}

function stopSentence(why: EndingKind, error: string | undefined): string {
  switch (why) {
    case "interrupted":
    case "terminated":
      return "nothing more is begun, and what is on its way is awaited; interrupt again to leave at once";
    case "limit":
      return "one more message could bring the charge over --max-credits";
    default:
      return error === undefined ? endings[why].when : `${error}; all further messages would meet the same`;
  }
}
