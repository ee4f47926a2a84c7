import { join } from "node:path";
import { removeLeftovers, replaceFile } from "../../files/durable.ts";
import { withLock } from "../../files/lock.ts";
import {
  makeStateFolder,
  notRecordable,
  readIfThere,
  requirePrivateState,
  type StateFolder,
} from "../../files/state-folder.ts";
import { SmsError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { readSpentDay, type SpendingKeeper, type SpentDay } from "../spending.ts";

const folderName = "spending";

/** A change takes milliseconds: after this time the owner of the lock is stuck. */
const timeoutMs = 10_000;

export function spendingFolder(
  state: StateFolder,
  machine: Pick<Host, "now" | "processes" | "random" | "sleep">,
): SpendingKeeper {
  const pathOf = (account: string) => join(state.path, folderName, `${account}.json`);
  const latest = (account: string) => readSpentDay(readIfThere(pathOf(account)), pathOf(account));
  return {
    latest: async (account) => {
      requirePrivateState(state, folderName);
      return latest(account);
    },
    change: async (account, next) => {
      const path = pathOf(account);
      try {
        makeStateFolder(state, folderName);
        return await withLock(`${path}.lock`, { ...machine, timeoutMs }, () => {
          removeLeftovers(path);
          const before = latest(account);
          const changed = next(before);
          writeDay(path, changed.day, before);
          return changed;
        });
      } catch (error) {
        throw error instanceof SmsError ? error : notRecordable(error, "message");
      }
    },
  };
}

/** If the day may not survive a power cut, this throws and undoes the change, since nothing will be sent. */
function writeDay(path: string, day: SpentDay, before: SpentDay | undefined): void {
  const write = (text: SpentDay) => replaceFile(path, `${JSON.stringify(text)}\n`);
  try {
    write(day);
  } catch (error) {
    try {
      write(before ?? { ...day, spent: 0, reserved: 0 });
    } catch {
      // The credits stay reserved.
    }
    throw error;
  }
}
