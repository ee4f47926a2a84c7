import { constants, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorCode, useFile } from "../files/open-file.ts";
import { openOrMakeFile, requirePrivateState, type StateFolder } from "../files/state-folder.ts";
import { encodeEntry, entryOf, type Sent } from "./entry.ts";

/** The folder of the history in the state folder. */
const folderName = "history";

/** Returns the path of a file of the history. */
export function historyPath({ path }: StateFolder, name: string): string {
  return join(path, folderName, name);
}

/** Returns the month of a time in UTC, as in `2026-11`. Milliseconds since 1970. */
export function monthAt(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Returns the month of a file of the history; undefined for the file of a run. */
export function monthOf(name: string): string | undefined {
  return /^(\d{4}-\d{2})\./.exec(name)?.[1];
}

/** Returns the names of all files of the history, in no order. Throws a usage error `INSECURE_STATE`. */
export function historyFiles(state: StateFolder): readonly string[] {
  requirePrivateState(state, folderName);
  try {
    return readdirSync(historyPath(state, "")).filter((name) => name.endsWith(".ndjson"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Adds a single message to the history. Never throws: returns why it could not, if so. */
export function recordSend(state: StateFolder, sent: Sent): string | undefined {
  try {
    appendLine(state, `${monthAt(sent.at)}.ndjson`, encodeEntry(entryOf(sent)));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Appends a line to a file of the history by one write, which the system keeps apart from those of others. The line ends the
 * one before it, too, so that a line which a kill cut short is never continued by the next. Throws if it could not be written.
 */
export function appendLine(state: StateFolder, name: string, line: string): void {
  const file = openOrMakeFile(state, folderName, name, constants.O_WRONLY | constants.O_APPEND);
  useFile(file, historyPath(state, name), () => {
    const bytes = Buffer.from(`\n${line}\n`);
    if (writeSync(file, bytes) < bytes.length) throw new Error("there is no room");
  });
}
