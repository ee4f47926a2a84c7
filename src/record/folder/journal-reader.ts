import { constants, readSync } from "node:fs";
import type { Outcome } from "../../message/outcome.ts";
import { type FileLine, type OnRead, readWholeLines } from "./line-file.ts";
import { closeQuietly, withPath } from "../../files/open-file.ts";
import { openOwnFile } from "../../files/state-folder.ts";
import { decodeEntry, firstLine, type JournalEntry, type ResultEntry } from "../journal-entry.ts";
import type { Ledger } from "../ledger.ts";
import type { RunFiles } from "./run-files.ts";
import { damaged, type PlannedMessage, readPlan } from "../plan.ts";

/**
 * Reads a journal into a ledger and returns the length of its whole lines in bytes. A last line without an end, which a kill
 * cut off, does not count. Throws `RUN_DAMAGED` for any other line that `sms` did not write.
 */
export async function readJournal(
  path: string,
  ledger: Ledger,
  onEntry: (entry: JournalEntry, line: FileLine) => void = () => {},
  onRead?: OnRead,
): Promise<number> {
  let number = 0;
  let length = 0;
  for await (const lines of readWholeLines(path, onRead)) {
    for (const line of lines) {
      number++;
      length = line.end + 1;
      if (number === 1 && `${line.text}\n` === firstLine) continue;
      const entry = decodeEntry(line.text);
      if (entry === undefined) throw damaged(`line ${number} of ${path} is broken`);
      if (!ledger.apply(entry)) throw damaged(`line ${number} of ${path} contradicts the lines before it`);
      onEntry(entry, line);
    }
  }
  return length;
}

/** Reads the journal of a run that has begun, as `readJournal` does. Throws `RUN_DAMAGED` if it is empty or zeros. */
export async function readBegunJournal(path: string, ledger: Ledger, onRead?: OnRead): Promise<number> {
  const length = await readJournal(path, ledger, undefined, onRead);
  if (length === 0) throw damaged(`${path} has lost its entries`);
  return length;
}

/** The outcome of one message of a run; undefined while it is pending. */
export interface MessageResult {
  readonly message: PlannedMessage;
  readonly outcome: Outcome | undefined;
  /** Whether a run that is continued sends the message unasked. */
  readonly isDue: boolean;
}

/** Yields the outcome of each message of a run, in the order of the plan. `ledger` is a new one for this plan. */
export async function* readResults(
  { plan, journal: journalPath, onRead }: Pick<RunFiles, "plan" | "journal" | "onRead">,
  ledger: Ledger,
): AsyncGenerator<MessageResult, void> {
  const offsets = new Float64Array(ledger.messages).fill(-1);
  const keepOffset = (entry: JournalEntry, { offset }: FileLine) => {
    if ("index" in entry) offsets[entry.index] = offset;
  };
  await readJournal(journalPath, ledger, keepOffset, onRead);
  const journal = openOwnFile(journalPath, constants.O_RDONLY);
  try {
    const entryAt = entryReader(journal);
    for await (const message of readPlan(plan, undefined, onRead)) {
      const { index } = message;
      const offset = offsets[index] ?? -1;
      const entry = offset < 0 || ledger.isOpen(index) ? undefined : entryAt(offset);
      const result = entry !== undefined && "index" in entry ? outcomeFrom(entry, message.to) : undefined;
      const outcome = result ?? (ledger.outcomeOf(index) === "uncertain" ? noResult : undefined);
      yield { message, outcome, isDue: ledger.isDue(index) };
    }
  } catch (error) {
    throw withPath(error, journalPath);
  } finally {
    closeQuietly(journal);
  }
}

/** The outcome of an intent without a result. */
export const noResult: Outcome = {
  kind: "uncertain",
  failure: {
    kind: "no-answer",
    error: "sms ended before it could record the outcome",
    errorCode: "NO_ANSWER",
  },
};

/** The outcome that a result in the journal records. */
export function outcomeFrom(entry: ResultEntry, to: string): Outcome {
  switch (entry.kind) {
    case "accepted":
      return { kind: "accepted", receipt: { success: true, ...entry.receipt, to } };
    case "rejected":
    case "uncertain":
      return { kind: entry.kind, failure: entry.failure };
    case "unsent":
      return { kind: "unsent", failure: entry.failure, retry: { kind: "back-off" } };
  }
}

/** How much of a journal is read at once to look up lines, which are nearly in the plan's order. Bytes. */
const windowSize = 256 * 1024;

/** Reads the entry whose line begins at an offset of an open journal. */
function entryReader(journal: number): (offset: number) => JournalEntry | undefined {
  const window = Buffer.alloc(windowSize);
  let start = 0;
  let length = 0;
  return (offset) => {
    let end = offset < start ? -1 : window.subarray(0, length).indexOf(10, offset - start);
    if (end < 0) {
      start = offset;
      length = readSync(journal, window, 0, windowSize, offset);
      end = window.subarray(0, length).indexOf(10);
    }
    return decodeEntry(window.toString("utf8", offset - start, end));
  };
}
