import { constants, existsSync, statSync, writeSync } from "node:fs";
import { isObject, parseJson } from "../../json.ts";
import { removeFile, replaceFile } from "../../files/durable.ts";
import { makeFolder } from "../../files/folder.ts";
import { namesIn, useFile } from "../../files/open-file.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { readRunEntries } from "../attempts.ts";
import type { RunHeader } from "../header.ts";
import { type Entry, isEntry, type OnShare, passOutcomes, type Unread } from "../history.ts";
import { folderName, historyPath } from "./history.ts";
import { type FileLine, linesFromEnd, type OnRead, readWholeLines, shareOf } from "./line-file.ts";
import { unreadableRun, type UnreadableRun } from "../runs.ts";
import { runIn, type RunFiles, runFiles, runNames } from "./run.ts";

/** Returns what reads and prunes the history of a state folder. Each method throws a usage error `INSECURE_STATE`. */
export function openHistory(state: StateFolder) {
  return {
    each: (since: number, onEntry: (entry: Entry) => void, onShare: OnShare) =>
      readEntries(state, { asked: since, onShare, onEntry }),
    eachRecent: (since: number, onEntry: (entry: Entry) => void) => readRecent(state, since, onEntry),
    keepRun: (name: string) => keepRun(state, name),
    prune: (before: number, onShare: OnShare) => prune(state, before, onShare),
  };
}

/** Calls `onEntry` with each entry since a time, or since the history begins if that is later, file by file. */
async function readEntries(
  state: StateFolder,
  {
    asked,
    onShare,
    onEntry,
  }: { readonly asked: number; readonly onShare: OnShare; readonly onEntry: (entry: Entry) => void },
): Promise<Unread> {
  const since = Math.max(asked, historyStart(state));
  const found = findRuns(state, since);
  const paths = historyFiles(state).map(({ path }) => path);
  const onRead = shareOf([...paths, ...found.runs.flatMap(({ plan, journal }) => [plan, journal])], onShare);
  const start = new Date(since).toISOString();
  const outcomes = passOutcomes(onEntry);
  const pass = (entry: Entry) => {
    if (entry.at >= start) outcomes.take(entry);
  };
  // Before the files: a run that is removed meanwhile becomes one of them.
  const { read, unreadable } = await readRuns(found, onRead, pass);
  let broken = 0;
  for (const { name, path, month } of historyFiles(state)) {
    // A run whose removal was interrupted is in its folder and in a file.
    if (month === undefined ? read.has(name) : month < monthAt(since)) continue;
    await readLines(path, onRead, ({ text }) => {
      const entry = parseJson(text);
      if (isEntry(entry)) pass(entry);
      else broken++;
    });
  }
  outcomes.end();
  return { broken, runs: unreadable };
}

/** Older entries than this in a row end the reading: a clock that was set may have put some between later ones. */
const mostOlder = 1_000;

/** Calls `onEntry` with each single message since a time, the last recorded first. */
async function readRecent(state: StateFolder, asked: number, onEntry: (entry: Entry) => void): Promise<void> {
  const since = Math.max(asked, historyStart(state));
  const start = new Date(since).toISOString();
  const outcomes = passOutcomes(onEntry);
  for (const { path, month } of historyFiles(state)) {
    if (month === undefined || month < monthAt(since)) continue;
    let older = 0;
    for await (const line of linesFromEnd(path)) {
      const entry = parseJson(line);
      if (!isEntry(entry)) continue;
      older = entry.at < start ? older + 1 : 0;
      if (older === 0) outcomes.take(entry);
      if (older === mostOlder) break;
    }
  }
  outcomes.end();
}

/** The file that says from when on the history is kept. */
const startFile = "start.json";

/** Returns when the history begins, in milliseconds since 1970: what is older was pruned, also if a run still has it. */
function historyStart(state: StateFolder): number {
  const value = parseJson(readIfThere(historyPath(state, startFile)) ?? "");
  const start = isObject(value) && typeof value["start"] === "string" ? Date.parse(value["start"]) : NaN;
  return Number.isNaN(start) ? 0 : start;
}

interface HistoryFile {
  readonly name: string;
  readonly path: string;
  /** As in `2026-11`; undefined for the file of a removed run. */
  readonly month: string | undefined;
}

function historyFiles(state: StateFolder): readonly HistoryFile[] {
  requirePrivateState(state, folderName);
  return namesIn(historyPath(state, ""))
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => ({ name, path: historyPath(state, name), month: /^(\d{4}-\d{2})\./.exec(name)?.[1] }));
}

/** Returns the month of a time in UTC, as in `2026-11`. */
function monthAt(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Calls `onLine` with each line of a file of the history that is not blank, a last one without an end included. */
async function readLines(path: string, onRead: OnRead, onLine: (line: FileLine) => void): Promise<void> {
  const pass = (line: FileLine) => {
    if (line.text.trim() !== "") onLine(line);
  };
  for await (const lines of readWholeLines(path, onRead, pass)) lines.forEach(pass);
}

/**
 * Deletes the entries before a time, and lets the history begin there. In a file that has later entries, too, the earlier ones
 * become blanks in their place, because a send may append to it at this moment.
 */
async function prune(state: StateFolder, before: number, onShare: OnShare): Promise<number> {
  const files = historyFiles(state);
  const onRead = shareOf(
    files.map(({ path }) => path),
    onShare,
  );
  const isEmpty = files.length === 0 && runNames(state).length === 0;
  const start = new Date(before).toISOString();
  if (!isEmpty && before > historyStart(state)) {
    makeFolder(historyPath(state, ""));
    replaceFile(historyPath(state, startFile), Buffer.from(`${JSON.stringify({ start })}\n`), 0o600);
  }
  let deleted = 0;
  for (const { path, month } of files) {
    const old: FileLine[] = [];
    let kept = 0;
    await readLines(path, onRead, (line) => {
      const entry = parseJson(line.text);
      if (isEntry(entry) && entry.at < start) old.push(line);
      else kept++;
    });
    const isOver = month === undefined ? kept === 0 : month < monthAt(before);
    deleted += isOver ? old.length + kept : old.length;
    if (isOver) removeFile(path);
    else blank(path, old);
  }
  return deleted;
}

function blank(path: string, lines: readonly FileLine[]): void {
  if (lines.length === 0) return;
  // Without O_APPEND: with it Linux writes at the end.
  const file = openOwnFile(path, constants.O_WRONLY);
  useFile(file, path, () => {
    for (const { offset, end } of lines) writeSync(file, Buffer.alloc(end - offset, " "), 0, end - offset, offset);
  });
}

interface FoundRuns {
  readonly runs: readonly (RunFiles & { readonly name: string })[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Finds the runs that were last recorded at a time or later, in milliseconds since 1970. */
function findRuns(state: StateFolder, since: number): FoundRuns {
  const runs: FoundRuns["runs"][number][] = [];
  const unreadable: UnreadableRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      if (runIn(files) !== undefined && statSync(files.journal).mtimeMs >= since) runs.push({ ...files, name });
    } catch (error) {
      unreadable.push(unreadableRun(name, error));
    }
  }
  return { runs, unreadable };
}

/** Reads the tries of runs as entries. Returns the files that these runs would become, and all runs that cannot be read. */
async function readRuns(
  { runs, unreadable }: FoundRuns,
  onRead: OnRead,
  onEntry: (entry: Entry) => void,
): Promise<{ readonly read: ReadonlySet<string>; readonly unreadable: readonly UnreadableRun[] }> {
  const read = new Set<string>();
  const all = [...unreadable];
  for (const files of runs) {
    let file = "";
    try {
      const run = runIn(files, onRead);
      if (run === undefined) continue;
      file = fileOf(run.header);
      read.add(file);
      await readRunEntries(run, onEntry);
    } catch (error) {
      if (existsSync(files.folder)) all.push(unreadableRun(files.name, error));
      else read.delete(file);
    }
  }
  return { read, unreadable: all };
}

/** Copies what the history needs of a run into a file of its own, whole or not at all. */
async function keepRun(state: StateFolder, name: string): Promise<void> {
  const run = runIn(runFiles(state, name));
  if (run === undefined) return;
  const lines: string[] = [];
  await readRunEntries(run, (entry) => lines.push(`${JSON.stringify(entry)}\n`));
  if (lines.length === 0) return;
  makeFolder(historyPath(state, ""));
  requirePrivateState(state, folderName);
  replaceFile(historyPath(state, fileOf(run.header)), Buffer.from(lines.join("")), 0o600);
}

function fileOf({ name, started }: Pick<RunHeader, "name" | "started">): string {
  return `run-${name}~${started.replaceAll(/[^0-9TZ]/g, "")}.ndjson`;
}
