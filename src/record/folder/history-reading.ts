import { constants, readdirSync, writeSync } from "node:fs";
import { isObject, parseJson } from "../../message/json.ts";
import { makeFolder, removeFile, replaceFile } from "../../files/durable.ts";
import { errorCode, useFile } from "../../files/open-file.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Entry, HistoryList, HistoryQuery, OnShare, Unread } from "../history.ts";
import { folderName, historyPath } from "./history.ts";
import { findRuns, isStillRecorded, keepRun, readRuns } from "./history-of-runs.ts";
import { type FileLine, type OnRead, readWholeLines, shareOf } from "./line-file.ts";
import { runNames } from "./run.ts";

/** Returns what reads and prunes the history of a state folder. Each method throws a usage error `INSECURE_STATE`. */
export function openHistory(state: StateFolder) {
  return {
    latest: (query: HistoryQuery, onShare: OnShare) => latest(state, query, onShare),
    each: (onEntry: (entry: Entry) => void, onShare: OnShare) => readEntries(state, 0, onShare, onEntry),
    keepRun: (name: string) => keepRun(state, name),
    prune: (before: number, onShare: OnShare) => prune(state, before, onShare),
  };
}

async function latest(state: StateFolder, { since, to, limit }: HistoryQuery, onShare: OnShare): Promise<HistoryList> {
  let entries: Entry[] = [];
  let found = 0;
  const unread = await readEntries(state, since, onShare, (entry) => {
    if (to !== undefined && entry.to !== to) return;
    found++;
    // A history may be long, and the list of it short.
    if (entries.push(entry) > 2 * limit + 1000) entries = newestOf(entries, limit).toReversed();
  });
  return { entries: newestOf(entries, limit), found, unread };
}

/** Returns the newest entries, the latest first; of those of one time, the last that was read. */
function newestOf(entries: readonly Entry[], limit: number): readonly Entry[] {
  const inOrder = entries.toReversed().toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
  return inOrder.slice(0, limit);
}

/** Calls `onEntry` with each entry since a time, or since the history begins if that is later, file by file. */
async function readEntries(
  state: StateFolder,
  asked: number,
  onShare: OnShare,
  onEntry: (entry: Entry) => void,
): Promise<Unread> {
  const all = historyFiles(state);
  const since = Math.max(asked, historyStart(state));
  const files = all.filter(({ name, month }) =>
    month === undefined ? !isStillRecorded(state, name) : month >= monthAt(since),
  );
  const found = findRuns(state, since);
  const paths = [...files.map(({ path }) => path), ...found.runs.flatMap(({ plan, journal }) => [plan, journal])];
  const onRead = shareOf(paths, onShare);
  const start = new Date(since).toISOString();
  const pass = (entry: Entry) => {
    if (entry.at >= start) onEntry(entry);
  };
  let broken = 0;
  for (const { path } of files) {
    await readLines(path, onRead, ({ text }) => {
      const entry = parseJson(text);
      if (isEntry(entry)) pass(entry);
      else broken++;
    });
  }
  return { broken, runs: await readRuns(found, onRead, pass) };
}

/** The file that says from when on the history is kept. */
const startFile = "start.json";

/** Returns when the history begins, in milliseconds since 1970: what is older was pruned, also if a run still has it. */
function historyStart(state: StateFolder): number {
  const value = parseJson(readIfThere(historyPath(state, startFile)) ?? "");
  const start = isObject(value) && typeof value["start"] === "string" ? Date.parse(value["start"]) : NaN;
  return Number.isNaN(start) ? 0 : start;
}

/** A file of the history. */
interface HistoryFile {
  readonly name: string;
  readonly path: string;
  /** As in `2026-11`; undefined for the file of a removed run. */
  readonly month: string | undefined;
}

function historyFiles(state: StateFolder): readonly HistoryFile[] {
  requirePrivateState(state, folderName);
  let names: readonly string[];
  try {
    names = readdirSync(historyPath(state, ""));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
  return names
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

const texts = ["at", "mode", "to"] as const;
const textsOrNull = ["run", "account", "key", "sender"] as const;
const numbersOrAbsent = ["totalCredits", "totalCostKes", "newBalance"] as const;
const outcomes: readonly unknown[] = ["accepted", "rejected", "unsent", "uncertain"] satisfies Entry["outcome"][];

function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) &&
    texts.every((name) => typeof value[name] === "string") &&
    textsOrNull.every((name) => typeof value[name] === "string" || value[name] === null) &&
    ["took", "segments"].every((name) => typeof value[name] === "number") &&
    (value["kind"] === "send" || value["kind"] === "run") &&
    outcomes.includes(value["outcome"]) &&
    numbersOrAbsent.every((name) => ["number", "undefined"].includes(typeof value[name]))
  );
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
  // Without O_APPEND, by which Linux would write at the end.
  const file = openOwnFile(path, constants.O_WRONLY);
  useFile(file, path, () => {
    for (const { offset, end } of lines) writeSync(file, Buffer.alloc(end - offset, " "), 0, end - offset, offset);
  });
}
