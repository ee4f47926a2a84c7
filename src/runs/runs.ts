import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OutcomeKind, SmsError, usageError } from "../errors.ts";
import { replaceFile, syncFolder } from "../files/durable.ts";
import { errorCode } from "../files/error-code.ts";
import { makeFolder } from "../files/folder.ts";
import { readJournal } from "./journal-reader.ts";
import { Ledger, type Tally } from "./ledger.ts";
import { readHeader, type RunHeader } from "./header.ts";
import { checkPlan, damaged } from "./plan.ts";

/** An exclusive lock on a run. */
export interface RunLock {
  readonly kind: "lock";
  readonly release: () => void | Promise<void>;
}

/** Takes the lock at that path, or says which process holds it. */
export type TakeLock = (path: string) => Taken | Promise<Taken>;
type Taken = RunLock | { readonly kind: "held"; readonly pid: number };

/** Where the files of a run are. */
export interface RunFiles {
  readonly name: string;
  readonly folder: string;
  readonly header: string;
  readonly plan: string;
  readonly journal: string;
  readonly lock: string;
}

/** A run that has begun, as its files tell it. */
export interface BegunRun {
  readonly header: RunHeader;
  readonly ledger: Ledger;
  /** How far the journal is whole. Bytes. */
  readonly journalLength: number;
  /** When the journal was last written. Milliseconds since 1970. */
  readonly lastWritten: number;
}

/** A run in a list. */
export interface ListedRun {
  readonly header: RunHeader;
  readonly tally: Tally;
}

/** Checks a name for a run: 1 to 64 letters, digits, dots, hyphens and underscores. Else a usage error `INVALID_RUN_NAME`. */
export function checkRunName(name: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== "." && name !== "..") return name;
  throw usageError(
    "INVALID_RUN_NAME",
    `${JSON.stringify(name)} is not a name for a run`,
    "use up to 64 letters, digits, dots, hyphens and underscores",
  );
}

/** A name for a run that was given none: when it began, in UTC, and four characters of chance. */
export function newRunName(now: number, random: number): string {
  const time = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  return `${time}-${Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

/** Where the run of that name has its files under the state folder. Throws as `checkRunName`. */
export function runFiles(state: string, name: string): RunFiles {
  const folder = join(runsFolder(state), checkRunName(name));
  return {
    name,
    folder,
    header: join(folder, "run.json"),
    plan: join(folder, "plan.ndjson"),
    journal: join(folder, "journal.ndjson"),
    lock: join(folder, "lock"),
  };
}

/** Makes the folder of a run and takes its lock. Throws a usage error `RUN_BUSY` where another process works on it. */
export async function lockRun(files: RunFiles, takeLock: TakeLock): Promise<RunLock> {
  try {
    makeFolder(files.folder);
  } catch (error) {
    throw notRecordable(error);
  }
  const taken = await takeLock(files.lock);
  if (taken.kind === "lock") return taken;
  throw usageError(
    "RUN_BUSY",
    `process ${taken.pid} is working on the run ${files.name}`,
    "wait until it ends, or stop it: what it has sent is recorded",
  );
}

/** What is thrown where the files of a run cannot be written before it has begun. */
export function notRecordable(cause: unknown): SmsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SmsError("usage", `the run cannot be recorded: ${reason}`, {
    errorCode: "NOT_RECORDABLE",
    hint: "make room there, or name another folder in SMS_STATE_DIR",
    cause,
  });
}

/**
 * Begins a run whose plan is written: from now on its header stands, whole, and its journal is empty. The caller holds
 * its lock. What an earlier command left there without a header never sent anything.
 */
export function beginRun(files: RunFiles, header: RunHeader): void {
  writeFileSync(files.journal, "", { mode: 0o600, flush: true });
  replaceFile(files.header, Buffer.from(`${JSON.stringify(header)}\n`), 0o600);
  syncFolder(join(files.folder, ".."));
}

/** Reads a run back; undefined where none of that name has begun. Throws `RUN_DAMAGED` where its files do not fit together. */
export async function readRun(files: RunFiles): Promise<BegunRun | undefined> {
  const header = readHeader(files.header);
  if (header === undefined) return undefined;
  try {
    const ledger = new Ledger(await checkPlan(files.plan, header.plan));
    const journalLength = await readJournal(files.journal, ledger);
    return { header, ledger, journalLength, lastWritten: statSync(files.journal).mtimeMs };
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? damaged(`a file of ${files.folder} is missing`) : error;
  }
}

/** Which messages of a run are to be sent: those pending and unsent, and of the others what was asked for. */
export function isDue(
  ledger: Ledger,
  retry: readonly ("rejected" | "uncertain")[],
): (index: number) => boolean {
  const due = new Set<OutcomeKind>(["pending", "unsent", ...retry]);
  return (index) => due.has(ledger.outcomeOf(index));
}

/** The names under which runs are kept in a state folder, those included of runs that cannot be read. */
export function runNames(state: string): readonly string[] {
  return namesIn(runsFolder(state));
}

/** The runs under a state folder, the latest first; `onDamaged` is told of each that cannot be read, and why. */
export async function listRuns(
  state: string,
  onDamaged: (name: string, reason: string) => void = () => {},
): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      const header = readHeader(files.header);
      if (header === undefined) continue;
      const ledger = new Ledger(new Uint8Array(header.plan.messages));
      await readJournal(files.journal, ledger);
      runs.push({ header, tally: ledger.tally() });
    } catch (error) {
      onDamaged(name, error instanceof Error ? error.message : String(error));
    }
  }
  return runs.sort((a, b) => b.header.started.localeCompare(a.header.started));
}

/** Removes a run for good; false where there was none. Throws `RUN_BUSY` while a process works on it. */
export async function removeRun(files: RunFiles, takeLock: TakeLock): Promise<boolean> {
  if (!namesIn(join(files.folder, "..")).includes(files.name)) return false;
  const lock = await lockRun(files, takeLock);
  try {
    // Out of reach first, under a name that no run can have, so that nobody begins anew in a folder that is going.
    const gone = `${files.folder}~${randomBytes(8).toString("hex")}`;
    renameSync(files.folder, gone);
    removeGone(join(files.folder, ".."));
    return true;
  } finally {
    await lock.release();
  }
}

function runsFolder(state: string): string {
  return join(state, "runs");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[A-Za-z0-9._-]{1,64}$/.test(name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Removes what was put out of reach, now or by a command that was killed in the middle of it. */
function removeGone(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/~[0-9a-f]{16}$/.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
