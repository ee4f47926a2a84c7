import stringWidth from "string-width";
import type { Outcome } from "../../message/outcome.ts";
import { lineText } from "../../recipients/row.ts";
import type { PlannedMessage } from "../../record/plan.ts";
import { profileOption } from "../../words/shell-word.ts";
import { type EndingKind, endings } from "../../errors.ts";
import { fitted } from "../../terminal/layout.ts";
import type { Page, View } from "../../terminal/context.ts";
import { countText, plural } from "../../words/count.ts";
import { failureHeading, kes, type Payment, reachesPhone, visible } from "../../terminal/text.ts";
import { Ledger, recipientsOf, type Tally } from "../../record/ledger.ts";
import { type Destination, isInProcess } from "../destination.ts";
import type { DeliveryEnd } from "../engine.ts";
import type { RowNotes } from "./note-texts.ts";
import type { RunWithLedger } from "../../record/run-with-ledger.ts";
import { countsByReason } from "../../record/left-out.ts";

export interface RunResult extends Pick<DeliveryEnd, "ending" | "cause" | "lastAccepted" | "error"> {
  readonly run: string;
  readonly destination: Pick<Destination, "mode" | "isSandbox" | "otherService">;
  readonly tally: Tally;
  readonly countToSend: number;
  readonly acceptedNow: number;
  /** Credits that were charged above `--max-credits`. */
  readonly overLimit: number;
  readonly failures: Failures;
  readonly notes: RowNotes;
  readonly readLeftOut: RunWithLedger["readLeftOut"];
  /** Undefined for a run in a sandbox of this process, which no record has. */
  readonly commands: { readonly resume: string; readonly show: string } | undefined;
}

export function runSummaryView(summary: RunResult): View {
  const { run, destination, tally, countToSend, acceptedNow, ending, overLimit, cause, failures, notes } = summary;
  const { warnings } = notes;
  const others = recipientsOf(tally) - tally.accepted - tally.pending;
  const way = summary.commands && `${summary.commands.show} --failed`;
  return {
    json: ({ redact }) => ({
      ...summaryJson(run, tally, ending),
      acceptedNow,
      ...(overLimit > 0 && { overLimit }),
      ...(ending === "limit" && cause && { stopped: redact(cause.error), errorCode: cause.errorCode }),
      ...countsJson(notes),
      ...(warnings.length > 0 && { warnings: warnings.map(redact) }),
    }),
    quiet: () => [run],
    text: (page) =>
      [
        countToSend > 0
          ? ""
          : `Nothing was sent now: ${ending === "accepted" ? "all were accepted before" : "nothing was left to send"}.\n`,
        summaryText(run, tally, destination, page),
        failuresText(failures, others, way, page),
        ending === "accepted" ? "" : nextSteps(summary, page),
        destination.otherService === undefined ? "" : `  Service: ${destination.otherService}\n`,
      ].join(""),
  };
}

/** Undefined if everybody has the message. */
export function leftText({ tally, commands }: Pick<RunResult, "tally" | "commands">) {
  const all = recipientsOf(tally);
  const rest = tally.due;
  const others = all - tally.accepted;
  if (rest > 0) {
    const way = commands && `: \`${commands.resume}\` sends ${rest === 1 ? "it" : "them"}`;
    return `${countText(rest)} of ${countText(all)} left${way ?? ""}`;
  }
  if (others === 0) return undefined;
  const way = commands && `: \`${commands.show} --failed\` lists ${others === 1 ? "it" : "them"}`;
  return `${countText(others)} of ${countText(all)} not accepted${way ?? ""}`;
}

export const nobodyText = "Nobody to send to: nothing was sent.";

export function nobodyView(notes: RowNotes): View {
  const tally = new Ledger(new Uint8Array()).tally();
  return {
    json: () => ({ ...summaryJson(null, tally, "accepted"), ...countsJson(notes) }),
    text: () => `${nobodyText}\n`,
  };
}

function countsJson({ leftOut }: Pick<RowNotes, "leftOut">) {
  return Object.keys(leftOut).length > 0 && { leftOut };
}

export function summaryJson(run: string | null, tally: Tally, ending: EndingKind) {
  const { accepted, rejected, unsent, uncertain, pending, segments } = tally;
  const { totalCredits, totalCostKes, unpriced, newBalance } = tally;
  const { exitCode } = endings[ending];
  const state = tally.isClosed ? { closed: true } : {};
  const counts = { recipients: recipientsOf(tally), accepted, rejected, unsent, uncertain, pending };
  const cost = { segments, totalCredits, totalCostKes, ...(unpriced > 0 && { unpriced }) };
  return { type: "summary", run, ...counts, ...cost, newBalance, ...state, exitCode };
}

export function summaryText(run: string, tally: Tally, { mode, isSandbox }: Payment, page: Page): string {
  const { accepted, totalCredits, totalCostKes, unpriced, newBalance } = tally;
  const all = recipientsOf(tally);
  const others = othersText(tally);
  const mark = accepted === all ? page.paint.good("✓") : page.paint.doubtful("!");
  const balance = newBalance === undefined || isInProcess({ mode }) ? "" : `, ${plural(newBalance, "credit")} left`;
  const counts = `Run ${visible(run)}: ${countText(accepted)} of ${countText(all)} accepted${others && `, ${others}`}`;
  const isFree = mode === "test" && totalCredits > 0;
  const verb = isSandbox ? " would be charged" : " charged";
  const credits = `${plural(totalCredits, "credit")}${isFree ? "" : verb}, ${kes(totalCostKes)}`;
  const missing = unpriced === 0 ? "" : `, not counting ${plural(unpriced, "message")} whose cost was not reported`;
  const cost = `${credits}${isFree ? ", not charged to a test key" : ""}${missing}${balance}`;
  const out = countsByReason(tally.leftOut);
  return `${mark} ${fitted(page, counts, [0, 2])}\n${fitted(page, cost, 2)}\n${out.length === 0 ? "" : `${fitted(page, `left out: ${out.join(", ")}`, 2)}\n`}`;
}

export function othersText(tally: Tally): string {
  return othersTexts(tally).join(", ");
}

export function othersTexts({
  rejected,
  unsent,
  uncertain,
  pending = 0,
}: Pick<Tally, "rejected" | "unsent" | "uncertain"> & Partial<Tally>): readonly string[] {
  const others = [
    [rejected, "rejected"],
    [unsent, "not sent"],
    [uncertain, "uncertain"],
    [pending, "not tried yet"],
  ] as const;
  return others.filter(([count]) => count > 0).map(([count, what]) => `${countText(count)} ${what}`);
}

function nextSteps({ tally, ending, failures, commands, destination }: RunResult, page: Page): string {
  const [hint] = failures.first().flatMap(({ outcome }) => ("hint" in outcome ? (outcome.hint ?? []) : []));
  const fix = hint === undefined ? "" : `${fitted(page, `Next: ${page.foreign(hint)}`, [2, 4])}\n`;
  if (commands === undefined) return fix;
  const doubt = reachesPhone(destination) ? "what may or may not have gone out" : "what is uncertain";
  const show = tally.uncertain > 0 ? nextText(commands.show, doubt, page) : "";
  return fix + resumeText(commands.resume, tally, page, ending) + show;
}

const before: Partial<Record<EndingKind, string>> = {
  unauthorized: "once the credentials are right",
  "no-credits": "once the account is topped up",
  forbidden: "once the sender or the IP address is allowed",
};

/** `more` holds back what this command does. */
export function resumeCommand(run: string, profile: string | undefined, more = ""): string {
  return `sms runs resume ${run}${profileOption(profile)}${more}`;
}

export function resumeText(resume: string, tally: Tally, page: Page, ending?: EndingKind): string {
  const { due, pending, unsent, rejected } = tally;
  if (tally.isClosed) return "";
  const rest = due > 0 ? nextText(resume, ending && before[ending], page) : "";
  const isMore = pending + unsent + rejected > due;
  return rest + (isMore ? nextText(`${resume} --retry rejected`, "once the cause is fixed", page) : "");
}

/** If both texts are too wide for a terminal, the command has a line of its own. */
export function nextText(command: string, why: string | undefined, page: Page): string {
  const { isTerminal, columns, paint } = page;
  const line = `  ${paint.faint("Next:")} ${page.foreign(`\`${command}\``).replace(/^`(.*)`$/s, "$1")}`;
  if (why === undefined) return `${line}\n`;
  const isWide = isTerminal && stringWidth(`  Next: ${command}  (${why})`) > columns;
  return `${line}${isWide ? "\n        " : "  "}(${why})\n`;
}

interface FailedMessage {
  readonly message: PlannedMessage;
  readonly outcome: Exclude<Outcome, { kind: "accepted" }>;
}

const mostShown = 5;

/** Messages that may have arrived come first. */
export class Failures {
  readonly #uncertain: FailedMessage[] = [];
  readonly #others: FailedMessage[] = [];

  add(message: PlannedMessage, outcome: Outcome): void {
    if (outcome.kind === "accepted") return;
    const list = outcome.kind === "uncertain" ? this.#uncertain : this.#others;
    if (list.length < mostShown) list.push({ message, outcome });
  }

  first(): readonly FailedMessage[] {
    return [...this.#uncertain, ...this.#others].slice(0, mostShown);
  }
}

export function failuresText(failures: Failures, all: number, more: string | undefined, page: Page): string {
  const examples = failures.first();
  const width = Math.max(...examples.map(({ message }) => lineText(message.line).length));
  const lines = examples.map(({ message, outcome }) => failureLine(message, outcome, page, width));
  if (examples.length > 0 && all > examples.length)
    lines.push(`  and ${countText(all - examples.length)} more${more === undefined ? "" : `: ${more}`}\n`);
  return lines.join("");
}

export function failureLine({ line, to }: PlannedMessage, outcome: Outcome, page: Page, width: number): string {
  const why = outcome.kind === "accepted" ? "" : `: ${page.foreign(outcome.failure.error)}`;
  return rowLine(lineText(line), width, `${to}  ${failureHeading[outcome.kind].toLowerCase()}${why}`, page);
}

/** The place becomes as wide as those of the other lines. */
export function rowLine(place: string, width: number, text: string, page: Page): string {
  const aligned = place.replace(/ (?=\d)/, (blank) => blank.padEnd(1 + width - place.length));
  return `${fitted(page, `${aligned}  ${text}`, [2, 4])}\n`;
}
