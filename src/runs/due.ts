import type { OutcomeKind } from "../errors.ts";
import type { Ledger } from "./ledger.ts";
import { type NewPlan, type PlannedMessage, readPlan } from "./plan.ts";
import type { BegunRun } from "./run.ts";
import type { RunFiles } from "./run-files.ts";
import { addToSample, newSample, type Sample } from "./sample.ts";
import type { SameRun } from "./same-run.ts";

/** Outcomes that are sent again only if somebody asks for it. */
export type Retry = readonly Extract<OutcomeKind, "rejected" | "uncertain">[];

/** Which messages of a run are sent, of those that may be. */
export interface Selection {
  readonly retry: Retry;
  /** Whether nothing is sent to a number. */
  readonly isExcluded?: ((to: string) => boolean) | undefined;
}

/** What a run would send now. */
export interface Due {
  /** The name of the run. */
  readonly run: string;
  /** The file of its recipients; undefined if it had none, or an earlier sms began it. */
  readonly source: string | undefined;
  /** Messages of the whole run, if it has begun. */
  readonly all: number | undefined;
  readonly messages: number;
  readonly segments: number;
  readonly sample: Sample;
  /** Messages that are due and whose numbers are excluded. */
  readonly excluded: number;
  /** Credits that may have been charged for the run before. */
  readonly exposure: number;
  /** A run of the same messages: an unfinished one, or one of the last day. */
  readonly same: SameRun | undefined;
}

/** Returns a test for the messages of a run that are to be sent: those that the ledger has due, and those of `retry`. */
export function isDue(ledger: Ledger, retry: Retry): (index: number) => boolean {
  const asked = new Set<OutcomeKind>(retry);
  return (index) => ledger.isDue(index) || asked.has(ledger.outcomeOf(index));
}

/** Yields the messages that a run would send now, in the order of the plan. */
export async function* dueMessages(
  { files, ledger }: BegunRun,
  { retry, isExcluded = () => false }: Selection,
): AsyncGenerator<PlannedMessage, void> {
  for await (const message of readPlan(files.plan, isDue(ledger, retry))) if (!isExcluded(message.to)) yield message;
}

/** Counts what a run would send now. */
export async function countDue(run: BegunRun, { retry, isExcluded = () => false }: Selection): Promise<Due> {
  const { files, header, ledger } = run;
  const sample = newSample();
  let messages = 0;
  let segments = 0;
  let excluded = 0;
  for await (const message of readPlan(files.plan, isDue(ledger, retry))) {
    if (isExcluded(message.to)) {
      excluded += ledger.isDue(message.index) ? 1 : 0;
      continue;
    }
    messages++;
    segments += message.segments;
    addToSample(sample, message);
  }
  const { source, plan } = header;
  const counts = { all: plan.messages, messages, segments, excluded, exposure: ledger.exposure };
  return { run: files.name, source, ...counts, sample, same: undefined };
}

/** Returns what a run that has not begun would send. */
export function dueAtFirst(
  { name }: RunFiles,
  source: string | undefined,
  { messages, segments, sample }: NewPlan,
  same: SameRun | undefined,
): Due {
  return { run: name, source, all: undefined, messages, segments, sample, excluded: 0, exposure: 0, same };
}
