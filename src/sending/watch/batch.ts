import { kindOf, sampleOf } from "./kinds.ts";

/** The most kinds that are told apart. Lines of others are counted together. */
const mostKinds = 1_000;

interface Kind {
  /** Its first line, as a phone shows it. */
  readonly sample: string;
  readonly lines: number;
}

export interface Batch {
  readonly lines: number;
  /** In the order in which they came. */
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Lines of kinds beyond the most. */
  readonly others: number;
  /** The time of the first and of the last line, by the clock on the wall. Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

interface OpenKind extends Kind {
  lines: number;
}

export class Gathering implements Batch {
  readonly kinds = new Map<string, OpenKind>();
  lines = 0;
  others = 0;
  from = Infinity;
  until = -Infinity;

  add(line: string, wall: number): void {
    const kind = kindOf(line);
    this.lines++;
    this.from = Math.min(this.from, wall);
    this.until = Math.max(this.until, wall);
    const known = this.kinds.get(kind);
    if (known !== undefined) known.lines++;
    else if (this.kinds.size < mostKinds) this.kinds.set(copied(kind), { sample: copied(sampleOf(line)), lines: 1 });
    else this.others++;
  }
}

/** A part of a text keeps all of it in memory, here a line or the whole chunk that it was read in. */
function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Returns the lines of both batches as one. Of too many kinds, the most frequent stay. */
export function joined(earlier: Batch, later: Batch): Batch {
  const kinds = new Map(earlier.kinds);
  for (const [kind, { sample, lines }] of later.kinds) {
    const known = kinds.get(kind);
    kinds.set(kind, known === undefined ? { sample, lines } : { ...known, lines: known.lines + lines });
  }
  let others = earlier.others + later.others;
  const rare = mostFrequent(kinds).slice(mostKinds);
  for (const [kind, { lines }] of rare) {
    others += lines;
    kinds.delete(kind);
  }
  const [from, until] = [Math.min(earlier.from, later.from), Math.max(earlier.until, later.until)];
  return { lines: earlier.lines + later.lines, kinds, others, from, until };
}

/** Returns kinds in the order of their lines, the most frequent first. */
export function mostFrequent(kinds: Batch["kinds"]): readonly (readonly [string, Kind])[] {
  return [...kinds].toSorted(([, one], [, other]) => other.lines - one.lines);
}
