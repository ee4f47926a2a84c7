import { constants, writeSync } from "node:fs";
import { removeFile } from "../files/durable.ts";
import { type FileLine, type OnRead, type OnShare, shareOf } from "./folder/line-file.ts";
import { useFile } from "../files/open-file.ts";
import { openOwnFile, type StateFolder } from "../files/state-folder.ts";
import { runNames } from "./folder/run.ts";
import { historyFiles, historyPath, monthAt, monthOf } from "./history-folder.ts";
import { readHistoryLines, timeOf } from "./history-lines.ts";
import { historyStart, setHistoryStart } from "./history-start.ts";

/**
 * Deletes the entries before a time, and lets the history begin there. Returns how many lines it deleted. In a file that has
 * later entries, too, the earlier ones become blanks in their place, because a send may append to it at this moment.
 */
export async function pruneHistory(state: StateFolder, before: number, onShare: OnShare): Promise<number> {
  const files = historyFiles(state).map((name) => ({ month: monthOf(name), path: historyPath(state, name) }));
  const onRead = shareOf(
    files.map(({ path }) => path),
    onShare,
  );
  const isEmpty = files.length === 0 && runNames(state).length === 0;
  if (!isEmpty && before > historyStart(state)) setHistoryStart(state, before);
  const first = monthAt(before);
  let deleted = 0;
  for (const { month, path } of files) {
    const { old, kept } = await oldLines(path, before, onRead);
    const isOver = month === undefined ? kept === 0 : month < first;
    deleted += isOver ? old.length + kept : old.length;
    if (isOver) removeFile(path);
    else blank(path, old);
  }
  return deleted;
}

/** A place in a file, in bytes. */
type Place = Pick<FileLine, "offset" | "end">;

async function oldLines(path: string, before: number, onRead: OnRead) {
  const old: Place[] = [];
  let kept = 0;
  await readHistoryLines(path, onRead, ({ text, offset, end }) => {
    if ((timeOf(text) ?? Infinity) < before) old.push({ offset, end });
    else kept++;
  });
  return { old, kept };
}

function blank(path: string, places: readonly Place[]): void {
  if (places.length === 0) return;
  // Without O_APPEND, by which Linux would write at the end.
  const file = openOwnFile(path, constants.O_WRONLY);
  useFile(file, path, () => {
    for (const { offset, end } of places) writeSync(file, Buffer.alloc(end - offset, " "), 0, end - offset, offset);
  });
}
