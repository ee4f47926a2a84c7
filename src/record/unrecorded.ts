import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { RunHeader } from "./header.ts";
import { encodeEntry } from "./journal-entry.ts";
import { summarizePlan } from "./plan.ts";
import { readLeftOut, readPlan, recordedRun } from "./run-lines.ts";
import { runWriter } from "./run-writer.ts";
import type { OwnRun } from "./runs.ts";

/** A run with `--sandbox` and the plan of a dry run stay in memory. */
export function unrecordedRun(name: string): OwnRun {
  /** As objects, a million rows would take 700 MB, so that batches of lines are packed. */
  const plan: Buffer[] = [];
  const journal: { readonly text: string; readonly offset: number }[] = [];
  let header: RunHeader | undefined;
  const places = { name, plan: "the plan", journal: "the journal" };
  const record = async (lines: readonly string[]) => {
    for (const line of lines) journal.push({ text: line.trimEnd(), offset: journal.length });
    return { isBooked: true };
  };
  return {
    name,
    read: async () =>
      header &&
      recordedRun({
        header,
        lastWritten: async () => 0,
        plan: () => batches(plan),
        journal: () => pages(journal),
        linesAt: async (offsets) => new Map(offsets.map((offset) => [offset, journal[offset]?.text ?? ""])),
        places,
      }),
    writePlan: (rows) => summarizePlan(rows, async (lines) => void plan.push(deflateRawSync(lines, { level: 1 }))),
    readPlan: (isWanted) => readPlan(batches(plan), places, isWanted),
    readLeftOut: () => readLeftOut(batches(plan), places),
    begin: async (newHeader, entries = []) => {
      header = newHeader;
      await record(entries.map(encodeEntry));
    },
    openWriter: async () => runWriter({ what: `record run ${name}`, write: record }),
    release: async () => {},
  };
}

async function* batches(plan: readonly Buffer[]) {
  for (const batch of plan) {
    const lines = inflateRawSync(batch).toString().split("\n").slice(0, -1);
    yield lines.map((text) => ({ text }));
  }
}

async function* pages<Line>(lines: readonly Line[]): AsyncGenerator<readonly Line[]> {
  yield lines;
}
