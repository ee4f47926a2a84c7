import type { Mode } from "../core/credentials.ts";
import { alignedLines } from "./aligned.ts";
import type { Page, View } from "./presenter.ts";
import { countText, estimateText, type KnownPrice, modeSentence, plural, serviceLine } from "./text.ts";

/** What a run would send. */
export interface RunPlan {
  readonly run: string;
  readonly recipients: number;
  readonly segments: number;
  readonly mode: Mode;
  /** The base URL if it is not that of the profile. */
  readonly service: string | undefined;
  /** Requests per minute at most. */
  readonly rate: number;
  readonly price: KnownPrice | undefined;
  /** What was left out and what else should be known, in words. */
  readonly notes: RunNotes;
  /** Messages that are due and whose numbers are excluded this time. */
  readonly excluded: number;
}

/** Notes on the input of a run, each in words. */
export interface RunNotes {
  readonly leftOut: readonly string[];
  readonly warnings: readonly string[];
}

/** What a dry run of a run would send. */
export function runPlanView(plan: RunPlan): View {
  const { run, recipients, segments, rate, mode, price, notes } = plan;
  return {
    json: ({ redacted }) => ({
      type: "plan",
      dryRun: true,
      run,
      recipients,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      rate,
      mode,
      leftOut: notes.leftOut.map(redacted),
      warnings: notes.warnings.map(redacted),
    }),
    quiet: () => [],
    text: (page) => `Dry run: nothing was sent.\n${runPlanText(plan, page)}`,
  };
}

/** Describes a run before it is confirmed. */
export function runPlanText(plan: RunPlan, { paint, foreign }: Page): string {
  const { run, recipients, segments, mode, service, rate, price, notes } = plan;
  const minutes = recipients / rate;
  const time = minutes < 1 ? "under a minute" : `about ${plural(Math.ceil(minutes), "minute")}`;
  return alignedLines(paint, [
    ["Run", foreign(run)],
    ["Recipients", countText(recipients)],
    ...notes.leftOut.map((text) => ["Left out", foreign(text)] as const),
    ...notes.warnings.map((text) => ["Warning", foreign(text)] as const),
    ["Segments", countText(segments)],
    ["Estimate", estimateText(segments, price)],
    ["Time", `${time}, at ${countText(rate)} a minute`],
    ["Mode", modeSentence[mode]],
    ...serviceLine(service),
  ]);
}
