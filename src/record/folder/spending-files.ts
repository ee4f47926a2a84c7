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
import type { Machine } from "../../host.ts";
import { type Booking, readSpentDay, type SpendingKeeper, type SpentDay } from "../spending.ts";

const folderName = "spending";

export interface FolderSpending extends SpendingKeeper {
  /** `write` comes first: a kill in between leaves nothing reserved for intents whose requests have not begun. */
  readonly change: (booking: Booking, write?: () => Promise<unknown>) => Promise<void>;
}

export function spendingFolder(state: StateFolder, machine: Machine): FolderSpending {
  const pathOf = (account: string) => join(state.path, folderName, `${account}.json`);
  const latest = (account: string) => readSpentDay(readIfThere(pathOf(account)), pathOf(account));
  return {
    now: machine.wallClock,
    latest: async (account) => {
      requirePrivateState(state, folderName);
      return latest(account);
    },
    change: async ({ account, next }, write) => {
      const path = pathOf(account);
      try {
        makeStateFolder(state, folderName);
        await withLock(`${path}.lock`, machine, async () => {
          removeLeftovers(path);
          const before = latest(account);
          const day = next(before, machine.wallClock());
          await write?.();
          writeDay(path, day, before);
        });
      } catch (error) {
        throw notRecordable(error, "message");
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
