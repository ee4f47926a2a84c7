import { copied, sampleOf, type WatchedLine } from "./kinds.ts";

/** Lines of further kinds are counted together. */
const mostKinds = 1_000;

interface Kind {
  readonly sample: string;
  readonly lines: number;
}

export interface Batch {
  /** A single line is told as it comes. */
  readonly isFirst: boolean;
  readonly lines: number;
  /** The kinds are in the order of their first lines. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly others: number;
  /** The time is by the clock on the wall. */
  readonly from: number;
  readonly until: number;
}

export class Gathering implements Batch {
  readonly kinds = new Map<string, { readonly sample: string; lines: number }>();
  isFirst = false;
  lines = 0;
  others = 0;
  from = Infinity;
  until = -Infinity;

  add(line: WatchedLine, wall: number): void {
    this.lines++;
    this.from = Math.min(this.from, wall);
    this.until = Math.max(this.until, wall);
    const kind = this.kinds.get(line.kind);
    if (kind !== undefined) kind.lines++;
    else if (this.kinds.size < mostKinds)
      this.kinds.set(copied(line.kind), { sample: copied(sampleOf(line.text)), lines: 1 });
    else this.others++;
  }
}

/** If the batches have too many kinds, the most frequent stay. */
export function joined(earlier: Batch, later: Batch): Batch {
  const kinds = new Map(earlier.kinds);
  for (const [name, { sample, lines }] of later.kinds) {
    const kind = kinds.get(name);
    kinds.set(name, { sample: kind?.sample ?? sample, lines: (kind?.lines ?? 0) + lines });
  }
  let others = earlier.others + later.others;
  for (const [name, { lines }] of mostFrequent(kinds).slice(mostKinds)) {
    others += lines;
    kinds.delete(name);
  }
  const [from, until] = [Math.min(earlier.from, later.from), Math.max(earlier.until, later.until)];
  return { isFirst: false, lines: earlier.lines + later.lines, kinds, others, from, until };
}

export function mostFrequent(kinds: Batch["kinds"]): readonly (readonly [string, Kind])[] {
  return [...kinds].toSorted(([, a], [, b]) => b.lines - a.lines);
}
