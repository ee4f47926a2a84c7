import { constants, existsSync, statSync, writeSync } from "node:fs";
import { isObject, parseJson } from "../../json.ts";
import { removeFile, replaceFile } from "../../files/durable.ts";
import { makeFolder, namesIn, useFile } from "../../files/file-system.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { readRunEntries } from "../run-history.ts";
import type { RunHeader } from "../header.ts";
import { costsOf, costsSince, entriesSince } from "../cost.ts";
import {
  type Cost,
  type HistoryEntry,
  type HistoryReading,
  nothingUnread,
  type OnShare,
  type Unread,
} from "../history.ts";
import { type EntrySource, newestFirst, readEntries, readEntry } from "../newest.ts";
import { folderName, historyPath } from "./history-files.ts";
import { type FileLine, type OnRead, readLinesBackwards, readWholeLines, shareOf } from "./line-file.ts";
import { unreadableRun } from "../runs.ts";
import { readSums, type RunSum, writeSums } from "./run-sums.ts";
import { runIn, type RunFiles, runFiles, runNames } from "./run-files.ts";

type Sources = ReturnType<typeof sourcesOf>;

interface RunToRead extends RunFiles, Omit<RunSum, "costs"> {}

/** Runs are listed first and looked at last: if one is removed meanwhile, either the run is read or its new file. */
function sourcesOf(state: StateFolder, time: number, { unread = nothingUnread(), to }: HistoryReading) {
  const since = Math.max(time, historyStart(state));
  const names = new Set(runNames(state));
  const files = historyFiles(state).filter(({ name, upTo, run }) => {
    if (upTo < since) return false;
    // A removal that was interrupted leaves the run and its file.
    return run === undefined || !names.has(run) || !isFileOf(name, runFiles(state, run));
  });
  const runs = [...names].map((name): RunToRead => {
    const paths = runFiles(state, name);
    const stats = statSync(paths.journal, { throwIfNoEntry: false });
    return { ...paths, size: stats?.size ?? 0, mtimeMs: stats?.mtimeMs ?? Infinity };
  });
  return { state, since, unread, to, names, files, runs: runs.filter(({ mtimeMs }) => mtimeMs >= since) };
}

function isFileOf(file: string, files: RunFiles): boolean {
  try {
    const run = runIn(files);
    return run !== undefined && fileOf(run.header) === file;
  } catch {
    return false;
  }
}

export function newest(state: StateFolder, time: number, reading: HistoryReading) {
  const sources = sourcesOf(state, time, reading);
  const { since, runs } = sources;
  const onRead = onReadOf(sources, runs, reading.onShare);
  const ofRuns = runs.map((run) => ({
    // The time of a file may be a moment before it was written.
    upTo: run.mtimeMs + 1000,
    read: () => entriesOfRun(run, sources, onRead),
  }));
  return newestFirst([...ofRuns, ...ofFiles(sources, onRead)], since);
}

export async function* costs(
  state: StateFolder,
  time: number,
  reading: HistoryReading,
): AsyncGenerator<readonly Cost[], void> {
  const sources = sourcesOf(state, time, reading);
  const { since, names, runs } = sources;
  const sums = readSums(state);
  const costsOfRun = ({ name, size, mtimeMs }: RunToRead) => {
    const sum = sums.get(name);
    return sum?.size === size && sum.mtimeMs === mtimeMs ? costsSince(sum.costs, since) : undefined;
  };
  const stale = runs.filter((run) => costsOfRun(run) === undefined);
  const onRead = onReadOf(sources, stale, reading.onShare);
  yield runs.flatMap((run) => costsOfRun(run) ?? []);
  for (const run of stale) {
    const { name, size, mtimeMs } = run;
    const keep = (entries: readonly HistoryEntry[]) => sums.set(name, { name, size, mtimeMs, costs: costsOf(entries) });
    for await (const entries of entriesOfRun(run, sources, onRead, keep)) yield costsOf(entriesSince(entries, since));
  }
  for await (const entries of newestFirst(ofFiles(sources, onRead), since)) yield costsOf(entries);
  const current = [...sums.values()].filter(({ name }) => names.has(name));
  if (stale.length > 0) writeSums(state, current);
}

function onReadOf({ files }: Sources, runs: readonly RunToRead[], onShare: OnShare = () => {}): OnRead {
  return shareOf([...files.map(({ path }) => path), ...runs.flatMap(({ plan, journal }) => [plan, journal])], onShare);
}

function ofFiles({ files, unread }: Sources, onRead: OnRead): readonly EntrySource[] {
  return files.map(({ path, upTo }) => ({ upTo, read: () => entriesBackwards(path, unread, onRead) }));
}

async function* entriesOfRun(
  run: RunToRead,
  { state, files, unread, to }: Sources,
  onRead: OnRead,
  onEntries: (entries: readonly HistoryEntry[]) => void = () => {},
): AsyncGenerator<readonly HistoryEntry[], void> {
  const entries: HistoryEntry[] = [];
  let damage: unknown;
  try {
    const record = runIn(run, onRead);
    if (record !== undefined) await readRunEntries(record, (entry) => entries.push(entry), to);
  } catch (error) {
    damage = error;
  }
  if (!existsSync(run.folder)) {
    const newFiles = historyFiles(state).filter(({ name }) => files.every((file) => file.name !== name));
    for (const file of newFiles) if (file.run === run.name) yield* entriesBackwards(file.path, unread, onRead);
  } else if (damage !== undefined) unread.runs.push(unreadableRun(run.name, damage));
  else {
    onEntries(entries);
    yield entries.toReversed();
  }
}

async function* entriesBackwards(path: string, unread: Unread, onRead: OnRead) {
  for await (const lines of readLinesBackwards(path, onRead)) yield readEntries(lines, unread);
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
  readonly run: string | undefined;
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
      const run = /^run-(.+)~/.exec(name)?.[1];
      return { name, path, month, run, upTo: month === undefined ? statSync(path).mtimeMs + 1000 : endOfMonth(month) };
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
export async function prune(state: StateFolder, before: number, onShare: OnShare): Promise<number> {
  const files = historyFiles(state);
  const paths = files.map(({ path }) => path);
  const onRead = shareOf(paths, onShare);
  const isEmpty = files.length === 0 && runNames(state).length === 0;
  const start = new Date(before).toISOString();
  if (!isEmpty && before > historyStart(state)) {
    makeFolder(historyPath(state, ""));
    replaceFile(historyPath(state, startFile), `${JSON.stringify({ start })}\n`);
  }
  let count = 0;
  for (const { path, month } of files) {
    const old: FileLine[] = [];
    let others = 0;
    await readLines(path, onRead, (line) => {
      const entry = readEntry(line.text);
      if (entry !== undefined && entry.at < start) old.push(line);
      else others++;
    });
    const isOver = month === undefined ? others === 0 : month < monthAt(before);
    count += isOver ? old.length + others : old.length;
    if (isOver) removeFile(path);
    else blank(path, old);
  }
  return count;
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
export async function keepRun(state: StateFolder, name: string): Promise<void> {
  const run = runIn(runFiles(state, name));
  if (run === undefined) return;
  const lines: string[] = [];
  await readRunEntries(run, (entry) => lines.push(`${JSON.stringify(entry)}\n`));
  if (lines.length === 0) return;
  makeFolder(historyPath(state, ""));
  requirePrivateState(state, folderName);
  replaceFile(historyPath(state, fileOf(run.header)), lines.join(""));
}

function fileOf({ name, started }: Pick<RunHeader, "name" | "started">): string {
  return `run-${name}~${started.replaceAll(/[^0-9TZ]/g, "")}.ndjson`;
}
