import type { Outcome } from "../message/outcome.ts";
import { endings } from "../errors.ts";
import { type Entry, entryOf } from "./history.ts";
import { type JournalEntry, noResult, outcomeFrom } from "./journal-entry.ts";
import type { PlannedMessage } from "./plan.ts";
import type { Actor, RecordedRun } from "./runs.ts";

interface RunAttempt {
  readonly index: number;
  /** A time before its request, and the time of its outcome. Milliseconds since 1970. */
  readonly begun: number;
  readonly at: number;
  readonly outcome: Outcome;
  readonly by: Actor | undefined;
}

/**
 * Reads the tries of a run that ended or were cut off, in the order of their outcomes: every one that was accepted, rejected
 * or uncertain, and for a message that is unsent in the end the last. Throws `RUN_DAMAGED`.
 */
async function readAttempts(
  { header, readEntries }: RecordedRun,
  toOf: (index: number) => string,
  onAttempt: (attempt: RunAttempt) => void,
): Promise<void> {
  let now = Date.parse(header.started);
  /** When each message was last intended; 0 unless its outcome is open. */
  const begun = new Float64Array(header.plan.messages);
  const unsent = new Map<number, RunAttempt>();
  const senders: (Actor | undefined)[] = [];
  const attempt = (index: number, outcome: Outcome): RunAttempt => {
    const from = begun[index] ?? now;
    begun[index] = 0;
    return { index, begun: from, at: now, outcome, by: senders[index] };
  };
  const cutOff = (index: number) => {
    unsent.delete(index);
    onAttempt(attempt(index, noResult));
  };
  await readEntries((entry, by) => {
    switch (entry.kind) {
      case "time":
        // The clock may have been set back.
        now = Math.max(now, entry.at);
        return;
      case "intent":
        for (const index of entry.indexes) {
          if (begun[index] !== 0) cutOff(index);
          begun[index] = now;
          senders[index] = by;
        }
        return;
      case "released":
        for (const index of entry.indexes) begun[index] = 0;
        return;
      case "summary":
        return;
      default: {
        const ended = attempt(entry.index, outcomeFrom(entry, toOf(entry.index)));
        if (entry.kind === "unsent") unsent.set(entry.index, ended);
        else {
          unsent.delete(entry.index);
          if (!isOldDoubt(entry)) onAttempt(ended);
        }
      }
    }
  });
  for (const [index, from] of begun.entries()) if (from !== 0) cutOff(index);
  for (const last of unsent.values()) onAttempt(last);
}

/** Reads the tries of one run as entries, none if it was in a sandbox. Throws `RUN_DAMAGED`. */
export async function readRunEntries(run: RecordedRun, onEntry: (entry: Entry) => void): Promise<void> {
  const { name, payer, binding } = run.header;
  const { mode } = binding;
  if (mode === "sandbox") return;
  const messages: Pick<PlannedMessage, "to" | "sender" | "segments">[] = [];
  for await (const { to, sender, segments } of run.readMessages()) {
    messages.push({ to, segments, ...(sender && { sender }) });
  }
  const toOf = (index: number) => messages[index]?.to ?? "";
  await readAttempts(run, toOf, ({ index, begun, at, outcome, by }) => {
    const { segments = 0, sender } = messages[index] ?? {};
    onEntry({ ...entryOf({ begun, at, run: name, payer, mode, to: toOf(index), sender, segments, outcome }), ...by });
  });
}

/** Whether this try was not sent, and the message stays uncertain because of one before. */
function isOldDoubt(entry: JournalEntry): boolean {
  return entry.kind === "uncertain" && endings[entry.failure.kind].sent === "no";
}
