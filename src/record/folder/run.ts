import { constants, existsSync, readSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { closeQuietly, errorCode, namesIn, withPath } from "../../files/open-file.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { parseJson } from "../../message/json.ts";
import { isHeader, type RunHeader } from "../header.ts";
import { decodeEntry, firstLine, type JournalEntry, noResult, outcomeFrom } from "../journal-entry.ts";
import { Ledger } from "../ledger.ts";
import { damaged, type DraftMessage, type NewPlan, summarizePlan } from "../plan.ts";
import { checkPlan, readJournal, readPlan } from "../run-lines.ts";
import { checkRunName, isRunName, type MessageResult, type RecordedRun } from "../runs.ts";
import { type FileLine, readWholeLines, sizeOf } from "./line-file.ts";

type OnReadOf = (bytes: number, path: string) => void;

export interface RunFiles {
  readonly folder: string;
  readonly header: string;
  readonly plan: string;
  readonly journal: string;
  readonly lock: string;
}

/** Returns the paths of the run of that name. Throws as `checkRunName` and `requirePrivateState`. */
export function runFiles(state: StateFolder, name: string): RunFiles {
  const folder = join(state.path, "runs", checkRunName(name));
  requirePrivateState(state, "runs", name);
  return {
    folder,
    header: join(folder, "run.json"),
    plan: join(folder, "plan.ndjson"),
    journal: join(folder, "journal.ndjson"),
    lock: join(folder, "lock"),
  };
}

/** Returns the names of all runs in a state folder, damaged ones included. Throws as `requirePrivateState`. */
export function runNames(state: StateFolder): readonly string[] {
  requirePrivateState(state, "runs");
  return namesIn(join(state.path, "runs")).filter(isRunName);
}

/** Reads the header of a run, if it has begun. Throws `RUN_DAMAGED` if it is not what sms wrote, or only the journal is left. */
function readHeader(files: Pick<RunFiles, "header" | "journal">): RunHeader | undefined {
  const value = parseJson(readIfThere(files.header) ?? "");
  if (isHeader(value)) return value;
  if (existsSync(files.header)) throw damaged(`${files.header} is broken, or a newer sms wrote it`);
  if (sizeOf(files.journal) > firstLine.length)
    throw damaged(`${files.header} is gone, and ${files.journal} is not empty`);
  return undefined;
}

/** Returns the run in these files; undefined if it has not begun. Throws `RUN_DAMAGED` for a header that is not what sms wrote. */
export function recordedRun(files: RunFiles, onRead?: OnReadOf): RecordedRun | undefined {
  const header = readHeader(files);
  if (header === undefined) return undefined;
  const { plan: planPath, journal } = files;
  const { plan } = header;
  const lines = (path: string) => readWholeLines(path, onRead && ((bytes) => onRead(bytes, path)));
  const emptyLedger = () => new Ledger(new Uint8Array(plan.messages));
  return {
    header,
    lastWritten: async () => statSync(journal).mtimeMs,
    readLedger: () =>
      whole(files, async () =>
        readBegunJournal(journal, new Ledger(await checkPlan(lines(planPath), planPath, plan)), lines),
      ),
    readCounts: () => whole(files, () => readBegunJournal(journal, emptyLedger(), lines)),
    readMessages: (isWanted, end) => readPlan(lines(planPath), planPath, isWanted, end),
    readEntries: async (onEntry) => {
      await readJournal(lines(journal), journal, emptyLedger(), (entry) => onEntry(entry));
    },
    readResults: () => readResults(files, emptyLedger(), lines),
  };
}

type ReadLines = (path: string) => AsyncIterable<readonly FileLine[]>;

async function whole<Result>({ folder }: RunFiles, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? damaged(`a file of ${folder} is missing`) : error;
  }
}

/** Writes the plan of a run to `path` and flushes it. Passes on what reading the messages throws. */
export async function writePlan(
  path: string,
  messages: AsyncIterable<DraftMessage> | Iterable<DraftMessage>,
): Promise<NewPlan> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  const rethrow = (error: unknown) => {
    throw withPath(error, path);
  };
  try {
    const plan = await summarizePlan(messages, (lines) => file.writeFile(lines).catch(rethrow));
    await file.sync().catch(rethrow);
    return plan;
  } finally {
    // It is flushed, or its failure is known.
    await file.close().catch(() => {});
  }
}

async function readBegunJournal(path: string, ledger: Ledger, readLines: ReadLines): Promise<Ledger> {
  const lines = await readJournal(readLines(path), path, ledger);
  if (lines === 0) throw damaged(`${path} has lost its entries`);
  return ledger;
}

async function* readResults(
  { plan, journal: journalPath }: RunFiles,
  ledger: Ledger,
  readLines: ReadLines,
): AsyncGenerator<MessageResult, void> {
  const offsets = new Float64Array(ledger.messages).fill(-1);
  await readJournal(readLines(journalPath), journalPath, ledger, (entry, { offset }) => {
    if ("index" in entry) offsets[entry.index] = offset;
  });
  const journal = openOwnFile(journalPath, constants.O_RDONLY);
  try {
    const entryAt = entryReader(journal);
    for await (const message of readPlan(readLines(plan), plan)) {
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
