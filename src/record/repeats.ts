import { isLive } from "../service/credentials.ts";
import type { RunHeader } from "./header.ts";
import type { RecordedRun, RepeatingRun, Repeats } from "./runs.ts";

export const repeatMs = 12 * 60 * 60 * 1000;

/** A rehearsal reaches a phone too: the number that it is redirected to. */
export function reachesPhones(
  { binding, isSandbox }: Pick<RunHeader, "binding" | "isSandbox">,
  baseUrl: string,
): boolean {
  return isLive(binding.mode) && isSandbox !== true && binding.baseUrl === baseUrl;
}

/** Indexes of equal messages in their plan and in ours. A million arrays of two numbers would take 80 MB. */
export interface Pairs {
  readonly theirs: number[];
  readonly ours: number[];
}

export class RepeatCount {
  readonly #runOf = new Map<number, string>();
  readonly #runs: RepeatingRun[] = [];

  /** Throws `RUN_DAMAGED`. */
  async add(run: RecordedRun, { theirs, ours }: Pairs, isUnderWay: boolean, since: number): Promise<void> {
    const { ledger, times } = await run.readTimes();
    let hasMessages = false;
    let lastAt: number | undefined;
    for (const [place, index] of theirs.entries()) {
      const at = times[index] ?? 0;
      // A clock that was ahead wrote a time in the future, which counts as well.
      const outcome = ledger.outcomeOf(index);
      const wasSent = ["accepted", "uncertain"].includes(outcome) && at > since;
      // With --retry the run sends again what was refused, or what was in doubt long ago.
      const maySend = isUnderWay && outcome !== "accepted" && !ledger.isLeftOut(index);
      if (!wasSent && !maySend) continue;
      hasMessages = true;
      this.#runOf.set(ours[place] ?? 0, run.header.name);
      if (wasSent) lastAt = Math.max(lastAt ?? at, at);
    }
    if (!hasMessages) return;
    const { due } = ledger.tally();
    this.#runs.push({ name: run.header.name, by: run.by, lastAt, isUnderWay, due });
  }

  result(): Repeats {
    const runs = this.#runs.toSorted(
      (a, b) => Number(b.isUnderWay) - Number(a.isUnderWay) || (b.lastAt ?? 0) - (a.lastAt ?? 0),
    );
    return { indexes: this.#runOf, runs };
  }
}
