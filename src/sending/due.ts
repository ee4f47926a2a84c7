import type { BegunRun } from "../record/begun-run.ts";
import { holdOf } from "../recipients/hold.ts";
import { Faults } from "../recipients/faults.ts";
import { lineText, mostOfReason } from "../recipients/row.ts";
import { numberKey } from "../message/number-set.ts";
import type { OutcomeKind } from "../errors.ts";
import { type Guard } from "../guards/guard.ts";
import { type RunTerms } from "../record/header.ts";
import type { Ledger } from "../record/ledger.ts";
import { addToSample, newSample, type PlannedMessage, type Sample } from "../record/plan.ts";
import type { Actor } from "../record/runs.ts";
import type { SameRun } from "./same-run.ts";

export type Retry = readonly Extract<OutcomeKind, "rejected" | "uncertain">[];

export interface Selection {
  readonly retry: Retry;
  readonly guards: readonly Guard[];
}

/** The messages that guards hold back, counted by guard. */
type Held = ReadonlyMap<string, number>;

/** Those who are left of a run although a later run may have reached them, with another text perhaps. */
export interface SentLater {
  readonly messages: number;
  /** The names of the later runs. */
  readonly runs: readonly string[];
}

export interface Due {
  readonly run: string;
  /** Who began it, if it has begun in a record that a team shares. */
  readonly by?: Actor;
  readonly source: string | undefined;
  readonly began: RunTerms | undefined;
  /** Messages of the whole run, if it has begun. */
  readonly all: number | undefined;
  readonly messages: number;
  readonly segments: number;
  readonly sample: Sample;
  /** Messages that a guard holds back, also those that `--retry` names. */
  readonly held: Held;
  readonly heldDue: number;
  /** The first of them, in sentences with their lines. */
  readonly firstHeld: readonly string[];
  /** Credits that may have been charged for the run before. */
  readonly exposure: number;
  /** Those who are left although a later run may have reached them. */
  readonly later: SentLater | undefined;
  /** A run of the same messages that is not to be sent again unasked. */
  readonly same: SameRun | undefined;
}

/** Returns a test for the messages of a run that are to be sent: what the ledger has as due, and what `retry` names. */
export function isDue(ledger: Ledger, retry: Retry): (index: number) => boolean {
  const asked = new Set<OutcomeKind>(retry);
  return (index) => ledger.isDue(index) || asked.has(ledger.outcomeOf(index));
}

/** Yields the messages that a run would send now, in the order of the plan. */
export async function* dueMessages(run: BegunRun, selection: Selection): AsyncGenerator<PlannedMessage, void> {
  for await (const message of readDue(run, selection))
    if (holdOf(selection.guards, numberKey(message.to)) === undefined) yield message;
}

function readDue({ ledger, readMessages }: BegunRun, { retry }: Selection) {
  return readMessages(isDue(ledger, retry));
}

/** Counts what a run would send now. Throws a usage error that names each message whose number a guard refuses. */
export async function countDue(run: BegunRun, selection: Selection): Promise<Due> {
  const { header, ledger } = run;
  const sample = newSample();
  let messages = 0;
  let segments = 0;
  const held = new Map<string, number>();
  let heldDue = 0;
  const firstHeld: string[] = [];
  const faults = new Faults();
  for await (const message of readDue(run, selection)) {
    const { line, to, index } = message;
    const hold = holdOf(selection.guards, numberKey(to));
    if (hold === undefined) {
      messages++;
      segments += message.segments;
      addToSample(sample, message);
    } else if (hold.effect === "refuse") faults.add({ kind: "fault", line, ...hold, cause: "guard" });
    else {
      if (ledger.isDue(index)) heldDue++;
      const before = held.get(hold.guard) ?? 0;
      held.set(hold.guard, before + 1);
      if (before < mostOfReason) firstHeld.push(`${lineText(line, header.source !== undefined)}: ${hold.reason}`);
    }
  }
  if (faults.count > 0) throw await faults.toUsageError(`run ${header.name}`);
  const { source, plan } = header;
  const counts = { all: plan.messages, messages, segments, held, heldDue, firstHeld, exposure: ledger.exposure };
  return { run: header.name, by: run.by, source, began: header, ...counts, sample, later: undefined, same: undefined };
}
