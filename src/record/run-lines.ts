import { createHash } from "node:crypto";
import { decodeEntry, firstLine, type JournalEntry } from "./journal-entry.ts";
import type { Ledger } from "./ledger.ts";
import { damaged, type PlannedMessage, type PlanSummary, readMessage } from "./plan.ts";

interface Line {
  readonly text: string;
}

type Lines<Kept extends Line = Line> = AsyncIterable<readonly Kept[]>;

/** Yields the messages of a plan that `isWanted` accepts, up to the index `end`. `place` is for errors, here and below. */
export async function* readPlan(
  plan: Lines,
  place: string,
  isWanted: (index: number) => boolean = () => true,
  end = Infinity,
): AsyncGenerator<PlannedMessage, void> {
  let index = 0;
  for await (const lines of plan) {
    for (const { text } of lines) {
      if (index === end) return;
      if (isWanted(index)) yield readMessage(text, index, place);
      index++;
    }
  }
}

/** Returns the segments of each message. Throws `RUN_DAMAGED` if the plan does not have that digest. */
export async function checkPlan(plan: Lines, place: string, { messages, digests }: PlanSummary): Promise<Uint8Array> {
  const segments = new Uint8Array(messages);
  const hash = createHash("sha256");
  let count = 0;
  for await (const lines of plan) {
    for (const { text } of lines) {
      hash.update(text).update("\n");
      segments[count++] = Number(/"segments":(\d+)\}$/.exec(text)?.[1]);
    }
  }
  if (count !== messages || hash.digest("hex") !== digests.file) {
    throw damaged(`${place} is not the plan that the run began with`);
  }
  return segments;
}

/**
 * Reads a journal into a ledger, and returns how many lines it has. A half-written last line does not count. Throws
 * `RUN_DAMAGED` for any other line that `sms` did not write.
 */
export async function readJournal<Kept extends Line>(
  journal: Lines<Kept>,
  place: string,
  ledger: Ledger,
  onEntry: (entry: JournalEntry, line: Kept) => void = () => {},
): Promise<number> {
  let number = 0;
  for await (const lines of journal) {
    for (const line of lines) {
      number++;
      if (number === 1 && `${line.text}\n` === firstLine) continue;
      const entry = decodeEntry(line.text);
      if (entry === undefined) throw damaged(`line ${number} of ${place} is broken`);
      if (!ledger.apply(entry)) throw damaged(`line ${number} of ${place} contradicts the lines before it`);
      onEntry(entry, line);
    }
  }
  return number;
}
