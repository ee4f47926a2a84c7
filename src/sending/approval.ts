import type { GuardOptions } from "../guards/guard.ts";
import type { GlobalOptions } from "../terminal/context.ts";
import { isLive } from "../service/credentials.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { countText, plural } from "../words/count.ts";
import { profileOption } from "../words/shell-word.ts";
import { actorText, agoText, costText } from "../terminal/text.ts";
import type { Due, Retry, SentLater } from "./due.ts";
import { isOver, type SameRun } from "./same-run.ts";
import type { RunPlan } from "./views/run-plan.ts";
import { prompterFor } from "../terminal/prompt.ts";
import { recipientsOf, resumeCommand } from "./views/run-summary.ts";

/** The options that say how a run is sent, and what is asked before. */
export interface RunOptions extends GlobalOptions, GuardOptions {
  readonly rate?: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  readonly retry?: Retry;
  readonly expect?: "test" | "live";
  readonly again?: true;
}

interface Asked {
  readonly plan: Pick<RunPlan, "mode" | "isSandbox" | "price">;
  readonly due: Due;
  /** Whether all recipients were typed in the command itself. */
  readonly isTyped: boolean;
}

/** How many recipients a person may type without a question, as for one. */
const mostTyped = 10;

/**
 * Throws a usage error if the same messages were sent, or a later run may have reached those who are left, and sms can neither
 * ask nor was told to go on. That is said before the plan, which does not come true.
 */
export function requireNew(options: RunOptions, { run, messages, later, same }: Due, host: Host): void {
  if (messages === 0 || (!options.yes && prompterFor(host, options) !== undefined)) return;
  if (same !== undefined && !options.again)
    throw usageError("RUN_REPEATED", sameRunText(same, host.now()), wayAfter(same, options));
  if (later === undefined || options.yes) return;
  const hint = `leave them out with ${later.runs.map((name) => `--exclude run:${name}`).join(" ")}, end it with \`sms runs close ${run}${profileOption(options.profile)}\`, or add --yes to send to them as well`;
  throw usageError("SENT_LATER", laterText(later), hint);
}

/**
 * Asks before a live run, before one that would reach those a later run may have reached, and before any run whose
 * messages were sent within the last 12 hours. `--yes`, or `--max-credits` without a terminal, answers the first question for
 * the person; only `--yes` answers the second, and only `--again` the third. Throws a usage error if the answer is no.
 */
export async function confirmRun(
  options: RunOptions,
  { plan: { mode, isSandbox, price }, due, isTyped }: Asked,
  host: Host,
): Promise<void> {
  const { messages, segments, exposure, later, same } = due;
  const repeated = options.again ? undefined : same;
  const isFew = isTyped && (due.all ?? messages) <= mostTyped;
  const isHarmless = (isFew || !isLive(mode)) && later === undefined;
  if (repeated === undefined && (options.yes || isHarmless)) return;
  const prompter = options.yes ? undefined : prompterFor(host, options);
  if (prompter === undefined) {
    if (options.maxCredits !== undefined) return;
    throw usageError(
      "NOT_CONFIRMED",
      `${plural(messages, "message")} ${isSandbox ? "to a sandbox" : "to real phones"} must be confirmed, and sms cannot prompt here`,
      `add --yes, or --max-credits ${exposure + segments} to limit the cost`,
    );
  }
  const before = repeated ? sentText(repeated, host.now()) : later && asSentence(laterText(later));
  const again = same === undefined ? "" : " again";
  const what = isLive(mode) ? "live message" : `${mode} message`;
  const target = isSandbox ? "to a sandbox" : `for ${costText(segments, price)}`;
  if (await prompter.confirm(`${before ?? ""}Send ${plural(messages, what)}${again} ${target}?`)) return;
  throw usageError("DECLINED", "Cancelled; nothing was sent.");
}

/** Returns who of those who are left was sent to by a later run, in words. */
export function laterText({ messages, runs }: SentLater): string {
  const names = runs.length === 1 ? `run ${runs.join("")}, which is` : `runs ${runs.join(", ")}, which are`;
  return `${countText(messages)} of those left ${messages === 1 ? "was" : "were"} sent to by ${names} later`;
}

const stateTexts: Readonly<Record<SameRun["state"], string>> = {
  unfinished: "is unfinished",
  silent: "was cut off before its summary",
  ended: "has ended",
  closed: "was closed",
};

/** Returns how a run of the same messages is doing, in words. `now` in milliseconds since 1970. */
export function sameRunText({ name, by, tally, state, lastWritten }: SameRun, now: number): string {
  const counts = `${countText(tally.accepted)} of ${countText(recipientsOf(tally))} accepted`;
  const who = by === undefined ? "" : `, begun by ${actorText(by)}`;
  return `run ${name} of the same messages ${stateTexts[state]}${who}, ${counts}, ${agoText(lastWritten, now)}`;
}

/** Asks whether to continue an unfinished run of the same messages. Throws a usage error if not, and if sms cannot prompt. */
export async function confirmContinuing(options: RunOptions, same: SameRun, host: Host): Promise<void> {
  const { profile, between } = options;
  const text = sameRunText(same, host.now());
  // --yes does not choose between the two ways on.
  const prompter = options.yes ? undefined : prompterFor(host, options);
  if (await prompter?.confirm(`${asSentence(text)}Continue it?`)) return;
  const hint = `continue it with \`${resumeCommand(same.name, { profile, between })}\`, or send to everybody again with --run NEWNAME --again`;
  if (prompter !== undefined) throw usageError("DECLINED", "Cancelled; nothing was sent.", hint);
  if (isOver(same)) throw usageError("RUN_REPEATED", text, hint);
  throw usageError("RUN_UNFINISHED", text, hint);
}

function sentText(same: SameRun, now: number): string {
  const isWhole = same.tally.accepted === recipientsOf(same.tally);
  return isWhole ? `These messages were sent ${agoText(same.lastWritten, now)}. ` : asSentence(sameRunText(same, now));
}

/** How the same messages can be sent although a run of them has reached somebody, in words. */
function wayAfter(same: SameRun, { profile, between }: RunOptions): string {
  const all = "add --again to send to everybody again";
  if (same.state === "closed") return `${all}, and --exclude run:${same.name} to leave out those it reached`;
  if (isOver(same)) return `${all}; \`sms runs show ${same.name}${profileOption(profile)}\` has what was sent`;
  return `continue it with \`${resumeCommand(same.name, { profile, between })}\`, or ${all}`;
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. `;
}
