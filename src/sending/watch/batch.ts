import { copied, sampleOf, type WatchedLine } from "./lines.ts";

/** Lines of further kinds are counted together. */
const mostKinds = 1_000;

interface Kind {
  readonly sample: string;
  lines: number;
}

export interface Batch {
  /** The first line after a quiet time: its text is the line itself, without counts. */
  isFirst: boolean;
  lines: number;
  /** The kinds are in the order of their first lines. */
  readonly kinds: Map<string, Kind>;
  others: number;
  /** The time is by the clock on the wall. */
  from: number;
  until: number;
}

export function emptyBatch(): Batch {
  return { isFirst: false, lines: 0, kinds: new Map(), others: 0, from: Infinity, until: -Infinity };
}

export function addLine(batch: Batch, line: WatchedLine, wall: number): void {
  const { kinds } = batch;
  batch.lines++;
  batch.from = Math.min(batch.from, wall);
  batch.until = Math.max(batch.until, wall);
  const kind = kinds.get(line.kind);
  if (kind !== undefined) kind.lines++;
  else if (kinds.size < mostKinds) kinds.set(copied(line.kind), { sample: copied(sampleOf(line.text)), lines: 1 });
  else batch.others++;
}

/** If the batches have too many kinds, the most frequent stay. */
export function joined(earlier: Batch | undefined, later: Batch): Batch {
  if (earlier === undefined) return later;
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
