import { isLive } from "../../message/credentials.ts";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { actorText, agoText, costText, countText, plural } from "../../output/text.ts";
import type { Due, Retry, SentLater } from "../../runs/due.ts";
import type { SameRun } from "../../runs/same-run.ts";
import type { GlobalOptions } from "../shared/options.ts";
import type { RunPlan } from "./plan-view.ts";
import { prompterFor } from "../shared/prompt.ts";
import { recipientsOf, resumeCommand } from "./summary-view.ts";

/** The options that say how a run is sent, and what is asked before. */
export interface RunOptions extends GlobalOptions {
  readonly rate?: number;
  readonly concurrency?: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  readonly maxCredits?: number;
  readonly retry?: Retry;
  readonly between?: string;
  readonly first?: number;
  readonly expect?: "test" | "live";
  readonly exclude?: string;
  readonly again?: true;
}

/**
 * Asks before a live run, before one that would reach those whom a later run may have reached, and before any run whose
 * messages were sent within the last 12 hours. `--yes`, or `--max-credits` without a terminal, answers the first question for
 * the person; only `--yes` answers the second, and only `--again` the third. Throws a usage error if the answer is no.
 */
export async function confirmRun(
  options: RunOptions,
  { mode, isSandbox, price }: Pick<RunPlan, "mode" | "isSandbox" | "price">,
  { run, messages, segments, exposure, later, same }: Due,
  host: Host,
): Promise<void> {
  const repeated = options.again ? undefined : same;
  if (repeated === undefined && (options.yes || (!isLive(mode) && later === undefined))) return;
  const prompter = options.yes ? undefined : prompterFor(host, options);
  if (prompter === undefined) {
    if (repeated !== undefined) {
      const hint = `add --again to send to everybody again; \`sms runs show ${repeated.name}\` has what was sent`;
      throw usageError("RUN_REPEATED", sameRunText(repeated, host.now()), hint);
    }
    if (later !== undefined) {
      const hint = `leave them out with ${later.runs.map((name) => `--exclude run:${name}`).join(" ")}, end it with \`sms runs close ${run}\`, or add --yes to send to them as well`;
      throw usageError("SENT_LATER", laterText(later), hint);
    }
    if (options.maxCredits !== undefined) return;
    throw usageError(
      "NOT_CONFIRMED",
      `${plural(messages, "message")} ${isSandbox ? "to a sandbox" : "to real phones"} must be confirmed, and sms cannot prompt here`,
      `add --yes, or --max-credits ${exposure + segments} to limit the cost`,
    );
  }
  const before = repeated
    ? `These messages were sent ${agoText(repeated.lastWritten, host.now())}. `
    : later && `${laterText(later)}. `;
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
  const sentence = sameRunText(same, host.now());
  // --yes does not choose between the two ways on.
  const prompter = options.yes ? undefined : prompterFor(host, options);
  if (await prompter?.confirm(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. Continue it?`)) return;
  const hint = `continue it with \`${resumeCommand(same.name, { profile, between })}\`, or send to everybody again with --run NEWNAME`;
  if (prompter !== undefined) throw usageError("DECLINED", "Cancelled; nothing was sent.", hint);
  if (same.state === "ended") throw usageError("RUN_REPEATED", sentence, hint);
  throw usageError("RUN_UNFINISHED", sentence, hint);
}
