import { rounded } from "../message/outcome.ts";
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
  /** Reads the outcomes anew, in the order of the plan. */
  readonly results: () => AsyncGenerator<MessageResult, void>;
}

export function reportRun({ header, by, ledger, readResults }: BegunRun): RunReport {
  return { header, by, tally: ledger.tally(), results: readResults };
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
