import { closeSync, constants, readdirSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject, parseJson } from "../../message/json.ts";
import { removeFile, retryOnWindows } from "../../files/durable.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import { type AccountKeeper, type AccountNotes, notesFrom, notesOf } from "../account.ts";
import type { spendingFolder } from "./spending.ts";

const folderName = "payers";

const paceFolder = "pace";

/** The length from which a file of notes is replaced by the last of them. Some 40 notes have it. Bytes. */
const longFile = 8 * 1024;

/** What is known of those who pay, in a file for each in a state folder. */
export function accountFolder(state: StateFolder, machine: Pick<Host, "wallClock" | "random">): AccountKeeper {
  const pathOf = (payer: string) => join(state.path, folderName, `${payer}.json`);
  // A send while no run is at work does not load it.
  const turnsOf = async (account: string) => (await import("./pace.ts")).turnsIn(state, [paceFolder, account], machine);
  let opened: ReturnType<typeof spendingFolder> | undefined;
  // A send without a limit does not load it.
  const spending = async () => (opened ??= (await import("./spending.ts")).spendingFolder(state));
  return {
    join: async (account, rate) => (await turnsOf(account)).join(rate),
    takeTurn: async (account) => {
      try {
        const names = readdirSync(join(state.path, paceFolder, account));
        return names.some((name) => name.startsWith("run-")) ? (await turnsOf(account)).takeOne(names) : 0;
      } catch {
        return 0;
      }
    },
    day: async (account, today) => (await spending()).day(account, today),
    reserve: async (account, reservation) => (await spending()).reserve(account, reservation),
    settle: async (account, on, settlements) => (await spending()).settle(account, on, settlements),
    reservedBy: async (account, holder, today) => (await spending()).reservedBy(account, holder, today),
    noted: async (payer) => {
      try {
        requirePrivateState(state, folderName);
        return lastNotes(readOwnFile(pathOf(payer)));
      } catch {
        return {};
      }
    },
    note: async (payer, outcome, at) => {
      if (outcome.kind === "unsent") return;
      try {
        addNotes(state, pathOf(payer), notesOf(outcome, at));
      } catch {
        // The next outcome is noted again.
      }
    },
  };
}

/**
 * Merges notes into the last of a file, without a flush. Notes are a line at the end of the file, which is replaced once it is
 * long: replacing it each time takes ten times as long on ext4, which begins to flush a file that takes another's name.
 */
function addNotes(state: StateFolder, path: string, notes: AccountNotes): void {
  const file = openOrMakeFile(state, folderName, basename(path), constants.O_RDWR | constants.O_APPEND);
  let line: string;
  let isLong: boolean;
  try {
    const old = readFileSync(file, "utf8");
    line = `${JSON.stringify({ ...lastNotes(old), ...notes })}\n`;
    isLong = old.length >= longFile;
    // The line end in front ends a line that a kill cut short.
    if (!isLong) writeSync(file, `\n${line}`);
  } finally {
    closeSync(file);
  }
  // Windows replaces no file that is open.
  if (isLong) replace(path, line);
}

function replace(path: string, line: string): void {
  const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, line, { flag: "wx", mode: 0o600 });
    retryOnWindows(() => renameSync(temporary, path));
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

/** The notes of the last line that is whole. */
function lastNotes(text: string): AccountNotes {
  const value = text
    .split("\n")
    .toReversed()
    .map((line) => parseJson(line))
    .find(isObject);
  return notesFrom(value);
}
