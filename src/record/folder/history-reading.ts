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
  // Runs are listed before files: a run that is removed meanwhile becomes a file.
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

/** A removal that was interrupted leaves the run and its file. */
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

const startFile = "start.json";

/** Entries before this time were pruned, also if a run still has them. */
function historyStart(state: StateFolder): number {
  const value = parseJson(readIfThere(historyPath(state, startFile)) ?? "");
  const start = isObject(value) && typeof value["start"] === "string" ? Date.parse(value["start"]) : NaN;
  return Number.isNaN(start) ? 0 : start;
}

interface HistoryFile {
  readonly name: string;
  readonly path: string;
  /** The file of a removed run has no month. */
  readonly month: string | undefined;
  /** No entry of the file is newer. */
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

async function readLines(path: string, onRead: OnRead, onLine: (line: FileLine) => void): Promise<void> {
  const pass = (line: FileLine) => {
    if (line.text.trim() !== "") onLine(line);
  };
  for await (const lines of readWholeLines(path, onRead, pass)) lines.forEach(pass);
}

/** A send may append to the file at this moment, so that earlier entries become blanks in their place. */
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
  // With O_APPEND Linux would write at the end.
  const file = openOwnFile(path, constants.O_WRONLY);
  useFile(file, path, () => {
    for (const { offset, end } of lines) writeSync(file, Buffer.alloc(end - offset, " "), 0, end - offset, offset);
  });
}

/** The run is copied whole or not at all. */
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
