import { existsSync, openSync } from "node:fs";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { notWritten, removeLeftovers, replaceFile, syncFolder, makeFolder } from "../files/durable.ts";
import { errorCode, closeQuietly } from "../files/open-file.ts";
import { withLock } from "../files/lock.ts";
import { requirePrivateState, type StateFolder } from "../files/state-folder.ts";
import type { Host } from "../host.ts";
import { formatList, type OptOut, readList, unreadableList, unusableList } from "./opt-out-list.ts";
import { optOutFiles, type OptOutFiles } from "./opt-outs.ts";

/** How long another process may hold the lock. Milliseconds. */
const timeoutMs = 10_000;

/** Returns the opt-outs, in the order in which they were added. Throws as `optOuts`. */
export function loadOptOuts(state: StateFolder): readonly OptOut[] {
  requirePrivateState(state, "optout");
  return load(optOutFiles(state));
}

/** Changes the opt-outs under their lock and returns the new list. Throws as `optOuts`, and `LOCKED` and `NOT_WRITTEN`. */
export async function changeOptOuts(
  state: StateFolder,
  host: Pick<Host, "processes" | "now" | "sleep" | "random">,
  edit: (list: readonly OptOut[]) => readonly OptOut[],
): Promise<readonly OptOut[]> {
  const files = optOutFiles(state);
  requirePrivateState(state, "optout");
  try {
    makeFolder(files.folder);
  } catch (error) {
    throw notWritten(files.list, error);
  }
  // Again: another user may have been first to make it.
  requirePrivateState(state, "optout");
  return withLock(files.lock, host.processes, { ...host, timeoutMs }, () => {
    removeLeftovers(files.list);
    const before = load(files);
    const after = edit(before);
    if (after !== before) replaceFile(files.list, formatList(after), 0o600);
    mark(files);
    return after;
  });
}

function load({ list, marker }: OptOutFiles): readonly OptOut[] {
  try {
    return readList(list);
  } catch (error) {
    if (error instanceof SmsError) throw error;
    if (errorCode(error) !== "ENOENT") throw unreadableList(list, errorCode(error));
    if (existsSync(marker)) throw unusableList(list, "it is gone");
    return [];
  }
}

/** Leaves the marker beside the list, once there is a list. */
function mark({ folder, list, marker }: OptOutFiles): void {
  if (existsSync(marker) || !existsSync(list)) return;
  closeQuietly(openSync(marker, "wx", 0o600));
  syncFolder(folder);
}

/** What is kept of a reason, in UTF-16 code units: the list is read a chunk at a time. */
const longestReason = 500;

/** Adds opt-outs whose numbers are not in the list. Those in it keep their date and reason. A long reason is cut. */
export function addOptOuts(list: readonly OptOut[], more: readonly OptOut[]) {
  const known = setOf(list);
  const added = more.filter(({ to }) => known.add(numberKey(to))).map(withShortReason);
  return { list: added.length === 0 ? list : [...list, ...added], added: added.map(({ to }) => to) };
}

function withShortReason(optOut: OptOut): OptOut {
  const { reason } = optOut;
  if (reason === undefined || reason.length <= longestReason) return optOut;
  return { ...optOut, reason: `${reason.slice(0, longestReason - 1)}…` };
}

/** Removes numbers from the list. */
export function removeOptOuts(list: readonly OptOut[], numbers: readonly string[]): readonly OptOut[] {
  const removed = new Set(numbers);
  return list.filter(({ to }) => !removed.has(to));
}

/** Returns those of the numbers that are not in the list. */
export function notOptedOut(list: readonly OptOut[], numbers: readonly string[]): readonly string[] {
  const known = setOf(list);
  return numbers.filter((to) => !known.has(numberKey(to)));
}

function setOf(list: readonly OptOut[]): NumberSet {
  const numbers = new NumberSet(list.length);
  for (const { to } of list) numbers.add(numberKey(to));
  return numbers;
}
