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
    messages.push({ to, segments, ...(sender && { sender }) });
  }
  let now = Date.parse(started);
  /** A 1 marks a message that was intended and whose outcome is open. */
  const open = new Uint8Array(plan.messages);
  const unsent = new Map<number, Entry>();
  const senders: (Actor | undefined)[] = [];
  const ended = (index: number, outcomeOf: (to: string) => Outcome): Entry => {
    const { to = "", segments = 0, sender } = messages[index] ?? {};
    const sent = { at: now, run: name, payer, mode, to, sender, segments };
    open[index] = 0;
    unsent.delete(index);
    return { ...entryOf({ ...sent, outcome: outcomeOf(to) }), ...senders[index] };
  };
  const cutOff = (index: number) => onEntry(ended(index, () => noResult));
  await run.readEntries((entry, by) => {
    switch (entry.kind) {
      case "time":
        // The clock may have been set back.
        now = Math.max(now, entry.at);
        return;
      case "intent":
        for (const index of entry.indexes) {
          if (open[index] === 1) cutOff(index);
          open[index] = 1;
          senders[index] = by;
        }
        return;
      case "released":
        for (const index of entry.indexes) open[index] = 0;
        return;
      case "repeated":
      case "closed":
        return;
      default: {
        const found = ended(entry.index, (to) => outcomeFrom(entry, to));
        if (entry.kind === "unsent") unsent.set(entry.index, found);
        else if (!isOldDoubt(entry)) onEntry(found);
      }
    }
  });
  for (const [index, isOpen] of open.entries()) if (isOpen === 1) cutOff(index);
  for (const last of unsent.values()) onEntry(last);
}

function isOldDoubt(entry: JournalEntry): boolean {
  return entry.kind === "uncertain" && endings[entry.failure.kind].sent === "no";
}
