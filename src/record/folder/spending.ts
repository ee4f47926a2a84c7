import { join } from "node:path";
import { removeFile, removeLeftovers, replaceFile } from "../../files/durable.ts";
import { withLock } from "../../files/lock.ts";
import {
  makeStateFolder,
  notRecordable,
  readIfThere,
  requirePrivateState,
  type StateFolder,
} from "../../files/state-folder.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { dayOn, reserveOn, type SpendingKeeper, type SpentDay, spentDayFrom } from "../spending.ts";

const folderName = "spending";

/** A change takes milliseconds: after this time the owner of the lock is stuck. */
const timeoutMs = 10_000;

export function spendingFolder(
  state: StateFolder,
  machine: Pick<Host, "now" | "processes" | "random" | "sleep">,
): SpendingKeeper {
  const folder = join(state.path, folderName);
  const pathOf = (account: string) => join(folder, `${account}.json`);
  return {
    day: async (account, today) => {
      requirePrivateState(state, folderName);
      return dayOn(today, readDay(pathOf(account)));
    },
    reserve: async (account, reservation) => {
      const path = pathOf(account);
      try {
        makeStateFolder(state, folderName);
        return await withLock(`${path}.lock`, { ...machine, timeoutMs }, () => {
          removeLeftovers(path);
          const before = readDay(path);
          const { granted, ...day } = reserveOn(before, reservation);
          writeDay(path, day, before);
          return { ...day, granted };
        });
      } catch (error) {
        throw error instanceof SmsError ? error : notRecordable(error, "message");
      }
    },
  };
}

function readDay(path: string): SpentDay | undefined {
  const text = readIfThere(path);
  const day = text === undefined ? undefined : spentDayFrom(text);
  if (text === undefined || day !== undefined) return day;
  const hint = "restore it from a copy, or remove it: then its day begins anew, with nothing spent";
  throw usageError("SPENDING_DAMAGED", `${path}, what an account has spent on a day, is damaged`, hint);
}

/** If the day may not survive a power cut, this throws and undoes the change, since nothing will be sent. */
function writeDay(path: string, day: SpentDay, before: SpentDay | undefined): void {
  const write = (text: SpentDay) => replaceFile(path, Buffer.from(`${JSON.stringify(text)}\n`), 0o600);
  try {
    write(day);
  } catch (error) {
    try {
      if (before === undefined) removeFile(path);
      else write(before);
    } catch {
      // The credits stay reserved.
    }
    throw error;
  }
}
