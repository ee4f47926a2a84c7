import { rounded } from "../core/amount.ts";
import type { FirstMessages } from "./header.ts";
import { readJournal } from "./journal-reader.ts";
import { Ledger } from "./ledger.ts";
import { readPlan } from "./plan.ts";
import type { BegunRun } from "./run.ts";

/** What messages cost; undefined if that is not known. */
interface Cost {
  readonly segments: number | undefined;
  readonly credits: number | undefined;
  readonly kes: number | undefined;
}

/** What the first messages of a run were charged, beside what was expected. */
export interface FirstCharge {
  readonly messages: number;
  readonly accepted: number;
  /** Of the messages that were accepted. */
  readonly estimate: Cost;
  /** By the receipts of the messages that were accepted; undefined if one of them does not say it. */
  readonly charged: Cost;
  /** What was charged otherwise than estimated, or not reported. */
  readonly differences: readonly (keyof Cost)[];
  /** Whether all were accepted, without a difference. */
  readonly isAsEstimated: boolean;
}

/** Reads what the first messages of a run were charged. */
export async function readFirstCharge(
  { files, header }: Pick<BegunRun, "files" | "header">,
  { count, kesPerCredit }: FirstMessages,
): Promise<FirstCharge> {
  const expected: number[] = [];
  for await (const { segments } of readPlan(files.plan, undefined, undefined, count)) expected.push(segments);
  let accepted = 0;
  const estimate = { segments: 0 };
  const charged = { segments: 0, credits: 0, kes: 0 };
  await readJournal(files.journal, new Ledger(new Uint8Array(header.plan.messages)), (entry) => {
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
