import { openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, syncFolder } from "../files/durable.ts";
import { errorCode } from "../files/error-code.ts";
import { useFile } from "../files/open-file.ts";
import { readHeader, type RunHeader, unknownRun } from "./header.ts";
import { firstLine } from "./journal-entry.ts";
import { readBegunJournal } from "./journal-reader.ts";
import { Ledger } from "./ledger.ts";
import { checkPlan, damaged } from "./plan.ts";
import type { RunFiles } from "./run-files.ts";

/** A run that has begun, as its files describe it. */
export interface BegunRun {
  readonly files: RunFiles;
  readonly header: RunHeader;
  readonly ledger: Ledger;
  /** The length of the journal's whole lines. Bytes. */
  readonly journalLength: number;
  /** When the journal was last written, in milliseconds since 1970; undefined if nothing was tried yet. */
  readonly lastWritten: number | undefined;
}

/** Begins a run whose plan is written: writes the first line of the journal, then the header. The caller holds the run's lock. */
export function beginRun(files: RunFiles, header: RunHeader): void {
  rmSync(files.journal, { force: true });
  const journal = openSync(files.journal, "wx", 0o600);
  useFile(journal, files.journal, () => writeFileSync(journal, firstLine, { flush: true }));
  replaceFile(files.header, Buffer.from(`${JSON.stringify(header)}\n`), 0o600);
  syncFolder(join(files.folder, ".."));
}

/** Reads a run; undefined if none of that name has begun. Throws `RUN_DAMAGED` if its files do not match. */
export async function readRun(files: RunFiles): Promise<BegunRun | undefined> {
  const header = readHeader(files);
  if (header === undefined) return undefined;
  try {
    const ledger = new Ledger(await checkPlan(files.plan, header.plan, files.onRead));
    const journalLength = await readBegunJournal(files.journal, ledger, files.onRead);
    const lastWritten = journalLength > firstLine.length ? statSync(files.journal).mtimeMs : undefined;
    return { files, header, ledger, journalLength, lastWritten };
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? damaged(`a file of ${files.folder} is missing`) : error;
  }
}

/** Reads a run as `readRun` does, and throws `UNKNOWN_RUN` if there is none of that name. */
export async function requireRun(files: RunFiles): Promise<BegunRun> {
  const run = await readRun(files);
  if (run === undefined) throw unknownRun(files.name);
  return run;
}
