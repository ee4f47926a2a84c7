import { constants, existsSync, statSync, writeSync } from "node:fs";
import { isObject, parseJson } from "../../json.ts";
import { removeFile, replaceFile } from "../../files/durable.ts";
import { makeFolder } from "../../files/folder.ts";
import { namesIn, useFile } from "../../files/open-file.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { readRunEntries } from "../attempts.ts";
import type { RunHeader } from "../header.ts";
import { type Entry, type HistoryReading, nothingUnread, type OnShare, type Unread } from "../history.ts";
import { newestFirst, readEntry } from "../newest.ts";
import { folderName, historyPath } from "./history.ts";
import { type FileLine, type OnRead, readLinesBackwards, readWholeLines, shareOf } from "./line-file.ts";
import { unreadableRun } from "../runs.ts";
import { lastWritten, runIn, type RunFiles, runFiles, runNames } from "./run.ts";

export function openHistory(state: StateFolder) {
  return {
    newest: (since: number, reading: HistoryReading) => newest(state, Math.max(since, historyStart(state)), reading),
    keepRun: (name: string) => keepRun(state, name),
    prune: (before: number, onShare: OnShare) => prune(state, before, onShare),
  };
}

function newest(state: StateFolder, since: number, reading: HistoryReading) {
  const { unread = nothingUnread(), onShare = () => {}, isOfSingles = false } = reading;
  // Before the files: a run that is removed meanwhile becomes one of them.
  const runs = (isOfSingles ? [] : runNames(state)).map((name) => ({ name, ...runFiles(state, name) }));
  const recent = runs.filter((files) => !(lastWritten(files) < since));
  const files = historyFiles(state).filter(({ upTo, month }) => upTo >= since && (month !== undefined || !isOfSingles));
  const paths = [...files.map(({ path }) => path), ...recent.flatMap(({ plan, journal }) => [plan, journal])];
  const onRead = shareOf(paths, onShare);
  const ofRuns = recent.map((own) => ({
    // The time of a file may be a moment before it was written.
    upTo: (lastWritten(own) || Date.now()) + 1000,
    read: () => entriesOfRun(state, own, unread, onRead),
  }));
  const ofFiles = files
    .filter(({ name }) => !runs.some((own) => isFileOf(name, own)))
    .map(({ path, upTo }) => ({ upTo, read: () => entriesBackwards(path, unread, onRead) }));
  return newestFirst([...ofRuns, ...ofFiles], since);
}

/** Whether a file is of a run that is still there, because its removal was interrupted. */
function isFileOf(file: string, files: RunFiles & { readonly name: string }): boolean {
  if (!file.startsWith(`run-${files.name}~`)) return false;
  try {
    const run = runIn(files);
    return run !== undefined && fileOf(run.header) === file;
  } catch {
    return false;
  }
}

async function* entriesOfRun(
  state: StateFolder,
  files: RunFiles & { readonly name: string },
  unread: Unread,
  onRead: OnRead,
): AsyncGenerator<readonly Entry[], void> {
  const entries: Entry[] = [];
  try {
    const run = runIn(files, onRead);
    if (run === undefined) return;
    await readRunEntries(run, (entry) => entries.push(entry));
  } catch (error) {
    if (existsSync(files.folder)) unread.runs.push(unreadableRun(files.name, error));
    else
      for (const { name, path } of historyFiles(state))
        if (name.startsWith(`run-${files.name}~`)) yield* entriesBackwards(path, unread, onRead);
    return;
  }
  yield entries.toReversed();
}

async function* entriesBackwards(path: string, unread: Unread, onRead: OnRead) {
  for await (const lines of readLinesBackwards(path, onRead)) {
    const entries: Entry[] = [];
    for (const line of lines) {
      const entry = readEntry(line);
      if (entry === undefined) unread.broken++;
      else entries.push(entry);
    }
    yield entries;
  }
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
  /** No entry of it is newer. */
  readonly upTo: number;
}

function historyFiles(state: StateFolder): readonly HistoryFile[] {
  requirePrivateState(state, folderName);
  return namesIn(historyPath(state, ""))
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => {
      const path = historyPath(state, name);
      const month = /^(\d{4}-\d{2})\./.exec(name)?.[1];
      return { name, path, month, upTo: month === undefined ? statSync(path).mtimeMs + 1000 : endOfMonth(month) };
    });
}

function endOfMonth(month: string): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return Date.UTC(year, number);
}

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
      const entry = readEntry(line.text);
      if (entry !== undefined && entry.at < start) old.push(line);
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
