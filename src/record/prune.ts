import { closeSync, constants, rmSync, writeSync } from "node:fs";
import type { StateFolder } from "../files/state-folder.ts";
import { historyFiles, historyPath } from "./history-folder.ts";
import { type LinePlace, openHistoryFile, readHistoryLines, timeOf } from "./history-lines.ts";
import { historyStart, setHistoryStart } from "./history-start.ts";

/**
 * Deletes the entries before a time, and lets the history begin there. Returns how many lines it deleted. In a file that has
 * later entries, too, the earlier ones become blanks in their place, because a send may append to it at this moment.
 */
export function pruneHistory(state: StateFolder, before: number): number {
  const names = historyFiles(state);
  if (names.length > 0 && before > historyStart(state)) setHistoryStart(state, before);
  const month = new Date(before).toISOString().slice(0, 7);
  let deleted = 0;
  for (const name of names) {
    const path = historyPath(state, name);
    const { old, kept } = oldLines(path, before);
    const isOver = /^\d{4}-\d{2}\./.test(name) ? name.slice(0, 7) < month : kept === 0;
    deleted += isOver ? old.length + kept : old.length;
    if (isOver) rmSync(path, { force: true });
    else blank(path, old);
  }
  return deleted;
}

function oldLines(path: string, before: number): { readonly old: readonly LinePlace[]; readonly kept: number } {
  const old: LinePlace[] = [];
  let kept = 0;
  readHistoryLines(path, (text, place) => {
    if ((timeOf(text) ?? Infinity) < before) old.push(place);
    else kept++;
  });
  return { old, kept };
}

function blank(path: string, places: readonly LinePlace[]): void {
  if (places.length === 0) return;
  // Without O_APPEND, by which Linux would write at the end.
  const file = openHistoryFile(path, constants.O_WRONLY);
  try {
    for (const { offset, length } of places) writeSync(file, Buffer.alloc(length, " "), 0, length, offset);
  } finally {
    closeSync(file);
  }
}
