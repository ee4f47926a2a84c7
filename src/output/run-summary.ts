import type { Failure, Outcome } from "../core/outcome.ts";
import { type EndingKind, endings } from "../errors.ts";
import type { FirstCharge } from "../runs/first-charge.ts";
import type { Tally } from "../runs/ledger.ts";
import type { PlannedMessage } from "../runs/plan.ts";
import { fitted } from "./cells.ts";
import { firstChargeJson } from "./first-charge.ts";
import { nextText, resumeText } from "./next-steps.ts";
import type { Page, View } from "./presenter.ts";
import { failureLine } from "./recipient.ts";
import type { RunNotes } from "./run-plan.ts";
import { visible } from "./sanitize.ts";
import { countText, kes, type Payment, plural } from "./text.ts";

/** A message of a run that was not accepted. */
export interface Unaccepted {
  readonly message: PlannedMessage;
  readonly outcome: Outcome;
}

/** How a run ended. */
export interface RunSummary extends Payment {
  readonly run: string;
  /** The base URL if it is not that of the profile. */
  readonly service: string | undefined;
  readonly tally: Tally;
  /** Messages that were left to send when this command began. */
  readonly due: number;
  /** Messages that were accepted since then. */
  readonly acceptedNow: number;
  readonly ending: EndingKind;
  /** Credits by which the charge is over the limit. */
  readonly overLimit: number;
  /** What stopped it besides its ending, if anything did. */
  readonly stopped: Failure | undefined;
  /** What its first messages were charged, if it began with --first. */
  readonly firstCharge: FirstCharge | undefined;
  /** The first that were not accepted this time. */
  readonly failures: readonly Unaccepted[];
  readonly notes: RunNotes;
  /** Messages that are due and that guards hold back. */
  readonly held: number;
  /** The command that continues it. */
  readonly resume: string;
}

/** The summary of a run that was sent. */
export function runSummaryView(summary: RunSummary): View {
  const { run, service, tally, due, acceptedNow, ending, overLimit, stopped, firstCharge, failures, notes } = summary;
  const { leftOut, firstLeftOut, warnings } = notes;
  return {
    json: ({ redacted }) => ({
      ...summaryJson(run, tally, ending),
      acceptedNow,
      ...(overLimit > 0 && { overLimit }),
      ...(ending === "limit" && stopped && { stopped: redacted(stopped.error), errorCode: stopped.errorCode }),
      ...(firstCharge && { first: firstChargeJson(firstCharge) }),
      ...(Object.keys(leftOut).length > 0 && { leftOut, firstLeftOut: firstLeftOut.map(redacted) }),
      ...(warnings.length > 0 && { warnings: warnings.map(redacted) }),
    }),
    quiet: () => [],
    text: (page) =>
      [
        due > 0
          ? ""
          : `Nothing was sent now: ${ending === "accepted" ? "everybody had it before" : "nothing was left to send"}.\n`,
        summaryText(run, tally, summary, page),
        service === undefined ? "" : `  Service: ${service}\n`,
        failuresText(run, tally, failures, page),
        ending === "accepted" ? "" : nextSteps(summary, page),
      ].join(""),
  };
}

/** Returns the JSON of a summary, by the names of docs/scripting.md. */
export function summaryJson(run: string, tally: Tally, ending: EndingKind) {
  const { accepted, rejected, unsent, uncertain, pending, segments } = tally;
  const { totalCredits, totalCostKes, unpriced, newBalance } = tally;
  const { exitCode } = endings[ending];
  const counts = { recipients: recipientsOf(tally), accepted, rejected, unsent, uncertain, pending };
  const cost = { segments, totalCredits, totalCostKes, ...(unpriced > 0 && { unpriced }) };
  return { type: "summary", run, ...counts, ...cost, newBalance, exitCode };
}

/** Returns the counts and the cost of a run. */
export function summaryText(run: string, tally: Tally, { mode, isSandbox }: Payment, page: Page): string {
  const { accepted, totalCredits, totalCostKes, unpriced, newBalance } = tally;
  const all = recipientsOf(tally);
  const others = othersText(tally);
  const mark = accepted === all ? page.paint.good("✓") : page.paint.doubtful("!");
  const balance = newBalance === undefined || mode === "sandbox" ? "" : `, ${plural(newBalance, "credit")} left`;
  const counts = `Run ${visible(run)}: ${countText(accepted)} of ${countText(all)} accepted${others && `, ${others}`}`;
  const isFree = mode === "test" && totalCredits > 0;
  const charged = isSandbox ? " would be charged" : " charged";
  const credits = `${plural(totalCredits, "credit")}${isFree ? "" : charged}, ${kes(totalCostKes)}`;
  const missing = unpriced === 0 ? "" : `, not counting ${plural(unpriced, "message")} whose cost was not reported`;
  const cost = `${credits}${isFree ? ", not charged to a test key" : ""}${missing}${balance}`;
  return `${mark} ${fitted(page, counts, 0, 2)}\n${fitted(page, cost, 2)}\n`;
}

/** Returns how many were not accepted and why not, in words; empty if all were accepted. */
export function othersText({ rejected, unsent, uncertain, pending }: Tally): string {
  const others = [
    [rejected, "rejected"],
    [unsent, "not sent"],
    [uncertain, "uncertain"],
    [pending, "not tried yet"],
  ] as const;
  return others
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${countText(count)} ${what}`)
    .join(", ");
}

/** Returns how many messages a tally counts. */
export function recipientsOf({ accepted, rejected, unsent, uncertain, pending }: Tally): number {
  return accepted + rejected + unsent + uncertain + pending;
}

function failuresText(run: string, tally: Tally, failures: readonly Unaccepted[], page: Page): string {
  const lines = failures.map(({ message, outcome }) => failureLine(message, outcome, page));
  const more = tally.rejected + tally.unsent + tally.uncertain - failures.length;
  if (failures.length > 0 && more > 0) lines.push(`  and ${countText(more)} more: sms runs show ${run} --failed\n`);
  return lines.join("");
}

function nextSteps(summary: RunSummary, page: Page): string {
  const { run, tally } = summary;
  const isUncertain = tally.uncertain > 0;
  const [hint] = summary.failures.flatMap(({ outcome }) => (outcome.kind === "unsent" ? (outcome.hint ?? []) : []));
  const fix = hint === undefined ? "" : `${fitted(page, `Next: ${page.foreign(hint)}`, 2, 4)}\n`;
  const show = isUncertain ? nextText(`sms runs show ${run}`, "what may or may not have gone out", page) : "";
  return fix + resumeText(summary, page) + show;
}
