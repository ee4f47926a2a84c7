import type { Outcome } from "../message/outcome.ts";
import { endings } from "../errors.ts";
import { modeOfRun } from "./header.ts";
import { type HistoryEntry, entryOf } from "./history.ts";
import { type JournalEntry, cutOffOutcome, outcomeFrom } from "./journal-entry.ts";
import type { LeftOutRow } from "./left-out.ts";
import type { PlannedMessage } from "./plan.ts";
import type { Actor, RecordedRun } from "./runs.ts";

/**
 * A message that is unsent in the end has its last try as an entry, and so has each row of the `number` that the run left
 * out. Throws `RUN_DAMAGED`.
 */
export async function readRunEntries(
  run: RecordedRun,
  onEntry: (entry: HistoryEntry) => void,
  number?: string,
): Promise<void> {
  const { name, payer, started, plan } = run.header;
  const ofAll = {
    run: name,
    payer,
    mode: modeOfRun(run.header),
    isWatch: false,
    intent: undefined,
    settles: undefined,
  } as const;
  const messages: Pick<PlannedMessage, "to" | "sender" | "segments">[] = [];
  for await (const { to, sender, segments } of run.readMessages()) {
    messages.push({ to, segments, sender });
  }
  const rows = await rowsLeftOut(run, number);
  let now = Date.parse(started);
  /** The time of an intent without an outcome yet; 0 if there is none. */
  const intentAt = new Float64Array(plan.messages);
  const unsent = new Map<number, HistoryEntry>();
  const actors: (Actor | undefined)[] = [];
  const settle = (index: number, at: number, outcomeOf: (to: string) => Outcome): HistoryEntry => {
    const { to = "", segments = 0, sender } = messages[index] ?? {};
    intentAt[index] = 0;
    unsent.delete(index);
    const entry = entryOf({ ...ofAll, at, to, sender, segments, outcome: outcomeOf(to) });
    return { ...entry, ...actors[index] };
  };
  const cutOff = (index: number) => onEntry(settle(index, intentAt[index] ?? now, () => cutOffOutcome));
  await run.readEntries((entry, by) => {
    if (entry.kind === "time") {
      // The clock may have been set back.
      now = Math.max(now, entry.at);
    } else if (entry.kind === "intent") {
      for (const index of entry.indexes) {
        if (intentAt[index] !== 0) cutOff(index);
        intentAt[index] = now;
        actors[index] = by;
      }
    } else if (entry.kind === "left-out") {
      for (const { row, place } of rows) if (entry.indexes.includes(row.index ?? -1)) place.at = now;
    } else if (entry.kind === "withdrawn") {
      for (const index of entry.indexes) intentAt[index] = 0;
    } else if ("index" in entry) {
      const attempt = settle(entry.index, now, (to) => outcomeFrom(entry, to));
      if (entry.kind === "unsent") unsent.set(entry.index, attempt);
      else if (!isOldDoubt(entry)) onEntry(attempt);
    }
  });
  for (const [index, state] of intentAt.entries()) if (state !== 0) cutOff(index);
  for (const last of unsent.values()) onEntry(last);
  for (const { row, place } of rows) onEntry(leftOutEntry(row, place.at, ofAll));
}

async function rowsLeftOut({ header, readLeftOut }: RecordedRun, number: string | undefined) {
  const rows: { readonly row: LeftOutRow; readonly place: { at: number } }[] = [];
  if (number === undefined) return rows;
  const at = Date.parse(header.started);
  for await (const row of readLeftOut()) if (row.to === number) rows.push({ row, place: { at } });
  return rows;
}

function leftOutEntry(
  { to, reason, details }: LeftOutRow,
  at: number,
  ofAll: Omit<Parameters<typeof entryOf>[0], "at" | "to" | "sender" | "segments" | "outcome">,
): HistoryEntry {
  const entry = entryOf({ ...ofAll, at, to, sender: undefined, segments: 0, outcome: cutOffOutcome });
  return { ...entry, outcome: "left-out", errorCode: undefined, reason, details };
}

function isOldDoubt(entry: JournalEntry): boolean {
  return entry.kind === "uncertain" && endings[entry.failure.kind].sent === "no";
}
