import type { OutcomeKind } from "../errors.ts";
import type { Ledger } from "./ledger.ts";
import { readPlan } from "./plan.ts";
import type { BegunRun } from "./run.ts";

/** Outcomes that are sent again only if somebody asks for it. */
export type Retry = readonly Extract<OutcomeKind, "rejected" | "uncertain">[];

/** What a run would send now. */
export interface Due {
  readonly messages: number;
  readonly segments: number;
  /** Credits that may have been charged for the run before. */
  readonly exposure: number;
}

/** Returns a test for the messages of a run that are to be sent: pending and unsent ones, and those of `retry`. */
export function isDue(ledger: Ledger, retry: Retry): (index: number) => boolean {
  const due = new Set<OutcomeKind>(["pending", "unsent", ...retry]);
  return (index) => due.has(ledger.outcomeOf(index));
}

/** Counts what a run would send now. */
export async function countDue({ files, ledger }: BegunRun, retry: Retry): Promise<Due> {
  let messages = 0;
  let segments = 0;
  for await (const message of readPlan(files.plan, isDue(ledger, retry))) {
    messages++;
    segments += message.segments;
  }
  return { messages, segments, exposure: ledger.exposure };
}
