import type { LeftOut } from "../../record/left-out.ts";
import type { LeftOutEntry } from "../../record/journal-entry.ts";
import type { Repeats } from "../../record/runs.ts";

/** Messages that a run is about to leave out for good: an entry has all of one cause. */
export class NewlyLeftOut {
  readonly #byCause = new Map<string, { readonly cause: LeftOut; readonly indexes: number[] }>();
  readonly #all = new Set<number>();

  add(index: number, cause: LeftOut): void {
    const key = `${cause.reason} ${cause.details}`;
    const group = this.#byCause.get(key) ?? { cause, indexes: [] };
    this.#byCause.set(key, group);
    group.indexes.push(index);
    this.#all.add(index);
  }

  addRepeats({ indexes }: Pick<Repeats, "indexes">): void {
    for (const [index, run] of indexes) this.add(index, { reason: "repeated", details: `run ${run}` });
  }

  has(index: number): boolean {
    return this.#all.has(index);
  }

  entries(): readonly LeftOutEntry[] {
    return Array.from(this.#byCause.values(), ({ cause, indexes }) => ({ kind: "left-out", ...cause, indexes }));
  }
}
