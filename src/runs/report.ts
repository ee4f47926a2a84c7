import { rounded } from "../message/outcome.ts";
import type { FirstMessages } from "../record/header.ts";
import type { Tally } from "../record/ledger.ts";
import { type RecordedRun, type RunKeeper, unreadableRun, type UnreadableRun } from "../record/runs.ts";

export interface ListedRun extends Pick<RecordedRun, "header" | "by"> {
  readonly tally: Tally;
}

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

/** What is undefined is not known. */
interface Cost {
  readonly segments: number | undefined;
  readonly totalCredits: number | undefined;
  readonly totalCostKes: number | undefined;
}

export interface FirstCharge {
  readonly messages: number;
  readonly accepted: number;
  /** Of those that were accepted. */
  readonly estimate: Cost;
  /** By their receipts. */
  readonly charged: Cost;
  readonly isSameCost: boolean;
  readonly isAsEstimated: boolean;
}

export async function readFirstCharge(
  { readMessages, readEntries }: RecordedRun,
  { count, kesPerCredit }: FirstMessages,
): Promise<FirstCharge> {
  const expected: number[] = [];
  for await (const { segments } of readMessages(undefined, count)) expected.push(segments);
  let accepted = 0;
  let credits = 0;
  const sum = { segments: 0, totalCredits: 0, totalCostKes: 0 };
  await readEntries((entry) => {
    if (entry.kind !== "accepted" || entry.index >= expected.length) return;
    accepted++;
    credits += expected[entry.index] ?? 0;
    sum.segments += entry.receipt.segments ?? NaN;
    sum.totalCredits += entry.receipt.totalCredits ?? NaN;
    sum.totalCostKes += entry.receipt.totalCostKes ?? NaN;
  });
  const kes = kesPerCredit === undefined ? undefined : credits * kesPerCredit;
  // A service may round the cost of each message to a cent.
  const isSameKes = kes === undefined || Math.abs(sum.totalCostKes - kes) <= 0.005 * accepted + 1e-9;
  const isSameCost = sum.segments === credits && sum.totalCredits === credits && isSameKes;
  return {
    messages: expected.length,
    accepted,
    estimate: { segments: credits, totalCredits: credits, totalCostKes: kes },
    charged: {
      segments: known(sum.segments),
      totalCredits: known(sum.totalCredits),
      totalCostKes: known(sum.totalCostKes),
    },
    isSameCost,
    isAsEstimated: isSameCost && accepted === expected.length,
  };
}

function known(amount: number): number | undefined {
  return Number.isNaN(amount) ? undefined : rounded(amount);
}
