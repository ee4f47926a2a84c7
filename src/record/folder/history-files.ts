import { constants, writeSync } from "node:fs";
import { join } from "node:path";
import { useFile } from "../../files/file-system.ts";
import { openOrMakeFile, type StateFolder } from "../../files/state-folder.ts";
import { type HistoryEntry, entryLine } from "../history.ts";

export const folderName = "history";

export function historyPath({ path }: StateFolder, name: string): string {
  return join(path, folderName, name);
}

/** The line also ends the line before, which a kill may have cut short. Throws if it could not be written. */
export function appendEntry(state: StateFolder, entry: HistoryEntry): void {
  appendLine(state, entry.at, `\n${entryLine(entry)}\n`);
}

/** Blank lines mean nothing. Throws if the text could not be written. */
export function appendLine(state: StateFolder, at: string, text: string): void {
  const name = `${at.slice(0, 7)}.ndjson`;
  const file = openOrMakeFile(state, folderName, name, constants.O_WRONLY | constants.O_APPEND);
  useFile(file, historyPath(state, name), () => {
    const bytes = Buffer.from(text);
    if (writeSync(file, bytes) < bytes.length) throw new Error("there is no room");
  });
}
