import { constants, fsyncSync, ftruncateSync, readFileSync, writeSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { syncFolder, useFile } from "../../files/file-system.ts";
import { acquireLock } from "../../files/lock.ts";
import { openOrMakeFile, readIfThere, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import { brokenKey, readKeyLines, type StoredKey } from "../once-lines.ts";

const listName = "keys.tsv";

/**
 * The keys of a folder that are used up for good are lines of one list, because a file takes a block of the disk.
 * A line that a power cut has cut short is of a key that still has a file.
 */
export function readListed(keyFile: string, hasFile: boolean): StoredKey | undefined {
  const list = join(dirname(keyFile), listName);
  const name = nameOf(keyFile);
  const lines = (readIfThere(list) ?? "").split("\n");
  const rest = lines.pop() ?? "";
  const what = `${list}, the record of keys of --once,`;
  const line = lines.findLast((text) => text.startsWith(name));
  if (line !== undefined) {
    const [, intent = "", outcome = ""] = line.split("\t");
    return readKeyLines(intent, outcome, what);
  }
  const isCutShort = rest !== "" && name.startsWith(rest.slice(0, name.length));
  // A line without a name may be the line of any key.
  if (!hasFile && (isCutShort || !lines.every((text) => /^[0-9a-f]{32}\t/.test(text)))) throw brokenKey(what);
  return undefined;
}

/** If this is false, the key needs a file: another process writes to the list, or the list cannot take the line. */
export async function addToList(
  state: StateFolder,
  keyFile: string,
  text: string,
  processes: Host["processes"],
): Promise<boolean> {
  try {
    const list = join(dirname(keyFile), listName);
    // On a network file system two processes that append at once can overwrite each other's line.
    const lock = await acquireLock(`${list}.lock`, processes);
    if (lock.kind === "taken") return false;
    try {
      appendLine(state, list, `${nameOf(keyFile)}\t${text}`);
      return true;
    } finally {
      lock.release();
    }
  } catch {
    return false;
  }
}

function appendLine(state: StateFolder, list: string, line: string): void {
  const folder = relative(state.path, dirname(list));
  const file = openOrMakeFile(state, folder, listName, constants.O_RDWR | constants.O_APPEND);
  useFile(file, list, () => {
    const before = readFileSync(file);
    // A list with a line has its name on the disk.
    if (before.length === 0) syncFolder(dirname(list));
    else if (before.at(-1) !== 10) throw new Error("the last line was cut short");
    const bytes = Buffer.from(line);
    if (writeSync(file, bytes) < bytes.length) {
      ftruncateSync(file, before.length);
      throw new Error("there is no room");
    }
    fsyncSync(file);
  });
}

function nameOf(keyFile: string): string {
  return basename(keyFile, ".ndjson");
}
