import { rounded, type Receipt } from "../message/outcome.ts";
import type { FirstMessages } from "../record/header.ts";
import type { Tally } from "../record/ledger.ts";
import {
  type MessageResult,
  type RecordedRun,
  type RunKeeper,
  unreadableRun,
  type UnreadableRun,
} from "../record/runs.ts";
import type { BegunRun } from "./due.ts";

export interface RunReport extends Pick<RecordedRun, "header" | "by"> {
  readonly tally: Tally;
  /** What the balances say about the uncertain messages; undefined if there are none, or for a test key, which moves no balance. */
  readonly evidence: Evidence | undefined;
  /** Reads the outcomes anew, in the order of the plan. */
  readonly results: () => AsyncGenerator<MessageResult, void>;
}

export async function reportRun({ header, by, ledger, ...run }: BegunRun, inFlight: number): Promise<RunReport> {
  const tally = ledger.tally();
  const isCharged = header.binding.mode !== "test";
  const evidence = isCharged && tally.uncertain > 0 ? await evidenceOf(run, inFlight) : undefined;
  return { header, by, tally, evidence, results: run.readResults };
}

async function evidenceOf({ readEntries }: Pick<BegunRun, "readEntries">, inFlight: number): Promise<Evidence> {
  const charges: Charge[] = [];
  await readEntries((entry) => {
    if (entry.kind === "accepted") charges.push(entry.receipt);
  });
  return weighEvidence(charges, inFlight);
}

export type ListedRun = Pick<RunReport, "header" | "by" | "tally">;

interface RunList {
  readonly runs: readonly ListedRun[];
  readonly earlier: number;
  readonly damaged: readonly UnreadableRun[];
}

/** Returns the latest runs, at most `limit`, and reads the outcomes of no others. */
export async function listRuns(keeper: Pick<RunKeeper, "list">, limit: number): Promise<RunList> {
  const all = await keeper.list();
  const damaged: UnreadableRun[] = all.filter((each) => each.kind === "unreadable");
  const begun = all.flatMap((each) => (each.kind === "run" ? [each.run] : []));
  begun.sort((a, b) => b.header.started.localeCompare(a.header.started));
  const runs: ListedRun[] = [];
  for (const { header, by, readCounts } of begun.slice(0, limit)) {
    try {
      runs.push({ header, by, tally: (await readCounts()).tally() });
    } catch (error) {
      damaged.push(unreadableRun(header.name, error));
    }
  }
  return { runs, earlier: Math.max(0, begun.length - limit), damaged };
}

/** What the balances on the receipts of a run show about charges without a receipt. */
type Evidence =
  /** There is no receipt, or one without credits or balance: no conclusion. */
  | { readonly kind: "none" }
  /** The balance rose in between: no conclusion. */
  | { readonly kind: "topped-up" }
  /** Between the first charge and the last the balance fell by `surplus` credits more than the receipts say. */
  | { readonly kind: "measured"; readonly surplus: number };

type Charge = Pick<Receipt, "totalCredits" | "newBalance">;

/**
 * Weighs the receipts of a run in the order in which their answers came, of which up to `inFlight` may have overtaken
 * each other. It reports and never decides: a surplus may be a message left uncertain, or another program on the
 * account; and what was charged before the first receipt or after the last shows in no balance, so that no surplus does
 * not mean that nothing was charged.
 *
 * Each receipt takes the stretch of the balance from `newBalance` to `newBalance + totalCredits`. Laid out from the top,
 * as the service charged them, they touch; a gap is a charge without a receipt. Stretches that overlap, or a higher one
 * that came later than answers can overtake, mean that credits came in.
 */
export function weighEvidence(charges: readonly Charge[], inFlight: number): Evidence {
  if (charges.length === 0) return { kind: "none" };
  const stretches: { readonly top: number; readonly bottom: number; readonly position: number }[] = [];
  for (const [position, { totalCredits, newBalance }] of charges.entries()) {
    if (totalCredits === undefined || newBalance === undefined) return { kind: "none" };
    stretches.push({ top: newBalance + totalCredits, bottom: newBalance, position });
  }
  stretches.sort((a, b) => b.bottom - a.bottom || b.top - a.top);
  let surplus = 0;
  let above: (typeof stretches)[number] | undefined;
  for (const stretch of stretches) {
    if (above !== undefined) {
      const gap = above.bottom - stretch.top;
      if (gap < 0 || above.position - stretch.position >= inFlight) return { kind: "topped-up" };
      surplus += gap;
    }
    above = stretch;
  }
  return { kind: "measured", surplus };
}

interface Cost {
  readonly segments: number | undefined;
  readonly credits: number | undefined;
  readonly kes: number | undefined;
}

export interface FirstCharge {
  readonly messages: number;
  readonly accepted: number;
  readonly estimate: Cost;
  /** By the receipts of the messages that were accepted; undefined if one of them does not say it. */
  readonly charged: Cost;
  /** What was charged otherwise than estimated, or not reported. */
  readonly differences: readonly (keyof Cost)[];
  readonly isAsEstimated: boolean;
}

export async function readFirstCharge(
  { readMessages, readEntries }: RecordedRun,
  { count, kesPerCredit }: FirstMessages,
): Promise<FirstCharge> {
  const expected: number[] = [];
  for await (const { segments } of readMessages(undefined, count)) expected.push(segments);
  let accepted = 0;
  const estimate = { segments: 0 };
  const charged = { segments: 0, credits: 0, kes: 0 };
  await readEntries((entry) => {
    if (entry.kind !== "accepted" || entry.index >= expected.length) return;
    accepted++;
    estimate.segments += expected[entry.index] ?? 0;
    charged.segments += entry.receipt.segments ?? NaN;
    charged.credits += entry.receipt.totalCredits ?? NaN;
    charged.kes += entry.receipt.totalCostKes ?? NaN;
  });
  const credits = estimate.segments;
  const kes = kesPerCredit === undefined ? undefined : credits * kesPerCredit;
  const isSame = {
    segments: charged.segments === estimate.segments,
    credits: charged.credits === credits,
    // A service may round the cost of each message to a cent.
    kes: kes === undefined || Math.abs(charged.kes - kes) <= 0.005 * accepted + 1e-9,
  };
  const differences = (["segments", "credits", "kes"] as const).filter((what) => !isSame[what]);
  return {
    messages: expected.length,
    accepted,
    estimate: { segments: estimate.segments, credits, kes },
    charged: { segments: known(charged.segments), credits: known(charged.credits), kes: known(charged.kes) },
    differences,
    isAsEstimated: accepted === expected.length && differences.length === 0,
  };
}

function known(amount: number): number | undefined {
  return Number.isNaN(amount) ? undefined : rounded(amount);
}
