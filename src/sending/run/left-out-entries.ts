import type { LeftOutEntry } from "../../record/journal-entry.ts";
import type { LeftOutCause } from "../../record/left-out.ts";

export function repeatedBy(run: string | undefined): LeftOutCause {
  return { reason: "repeated", details: `run ${run}` };
}

/** An entry has all messages of one cause. */
export function leftOutEntries(causes: ReadonlyMap<number, LeftOutCause>): readonly LeftOutEntry[] {
  const byCause = new Map<string, { readonly cause: LeftOutCause; readonly indexes: number[] }>();
  for (const [index, cause] of causes) {
    const key = `${cause.reason} ${cause.details}`;
    const group = byCause.get(key) ?? { cause, indexes: [] };
    byCause.set(key, group);
    group.indexes.push(index);
  }
  return Array.from(byCause.values(), ({ cause, indexes }) => ({ kind: "left-out", ...cause, indexes }));
}
