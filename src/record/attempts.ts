import type { Outcome } from "../message/outcome.ts";
import { endings } from "../errors.ts";
import { modeOfRun } from "./header.ts";
import { type Entry, entryOf } from "./history.ts";
import { type JournalEntry, noResult, outcomeFrom } from "./journal-entry.ts";
import type { PlannedMessage } from "./plan.ts";
import type { Actor, RecordedRun } from "./runs.ts";

/** A message that is unsent in the end has its last try as an entry. Throws `RUN_DAMAGED`. */
export async function readRunEntries(run: RecordedRun, onEntry: (entry: Entry) => void): Promise<void> {
  const { name, payer, started, plan } = run.header;
  const mode = modeOfRun(run.header);
  const messages: Pick<PlannedMessage, "to" | "sender" | "segments">[] = [];
  for await (const { to, sender, segments } of run.readMessages()) {
    messages.push({ to, segments, sender });
  }
  let now = Date.parse(started);
  /** The time of an intent without an outcome yet; 0 if there is none. */
  const pending = new Float64Array(plan.messages);
  const unsent = new Map<number, Entry>();
  const senders: (Actor | undefined)[] = [];
  const settle = (index: number, at: number, outcomeOf: (to: string) => Outcome): Entry => {
    const { to = "", segments = 0, sender } = messages[index] ?? {};
    pending[index] = 0;
    unsent.delete(index);
    const entry = entryOf({ at, run: name, payer, mode, to, sender, segments, outcome: outcomeOf(to) });
    return { ...entry, ...senders[index] };
  };
  const cutOff = (index: number) => onEntry(settle(index, pending[index] ?? now, () => noResult));
  await run.readEntries((entry, by) => {
    if (entry.kind === "time") {
      // The clock may have been set back.
      now = Math.max(now, entry.at);
    } else if (entry.kind === "intent") {
      for (const index of entry.indexes) {
        if (pending[index] !== 0) cutOff(index);
        pending[index] = now;
        senders[index] = by;
      }
    } else if (entry.kind === "released") {
      for (const index of entry.indexes) pending[index] = 0;
    } else if ("index" in entry) {
      const attempt = settle(entry.index, now, (to) => outcomeFrom(entry, to));
      if (entry.kind === "unsent") unsent.set(entry.index, attempt);
      else if (!isOldDoubt(entry)) onEntry(attempt);
    }
  });
  for (const [index, state] of pending.entries()) if (state !== 0) cutOff(index);
  for (const last of unsent.values()) onEntry(last);
}

function isOldDoubt(entry: JournalEntry): boolean {
  return entry.kind === "uncertain" && endings[entry.failure.kind].sent === "no";
}
