import { join } from "node:path";
import { removeLeftovers, replaceFile } from "../../files/durable.ts";
import { makeFolder } from "../../files/folder.ts";
import { withLock } from "../../files/lock.ts";
import { notRecordable, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { SpendingKeeper } from "../account.ts";
import { type DayStore, spendingIn } from "../spent-day.ts";

const folderName = "spending";

/** A change takes milliseconds: after this time the holder of the lock is stuck. */
const timeoutMs = 10_000;

/** What accounts spend, in a state folder: a file for the latest day of each account, which is changed under its lock. */
export function spendingFolder(
  state: StateFolder,
  machine: Pick<Host, "now" | "processes" | "random" | "sleep">,
): SpendingKeeper {
  const folder = join(state.path, folderName);
  const pathOf = (account: string) => join(folder, `${account}.json`);
  const makeOwnFolder = () => {
    requirePrivateState(state, folderName);
    makeFolder(folder);
    // Again: another user may have been first to make it.
    requirePrivateState(state, folderName);
  };
  const change: DayStore["change"] = async (account, edit) => {
    const path = pathOf(account);
    try {
      makeOwnFolder();
      return await withLock(`${path}.lock`, { ...machine, timeoutMs }, () => {
        removeLeftovers(path);
        const { text, result } = edit(readIfThere(path));
        replaceFile(path, Buffer.from(`${text}\n`), 0o600);
        return result;
      });
    } catch (error) {
      throw error instanceof SmsError ? error : notRecordable(error, "message");
    }
  };
  return spendingIn({
    read: async (account) => {
      requirePrivateState(state, folderName);
      return readIfThere(pathOf(account));
    },
    change,
    damaged: (account) => {
      const hint = "restore it from a copy, or remove it: then its day begins anew, with nothing spent";
      return usageError("SPENDING_DAMAGED", `${pathOf(account)}, what an account has spent on a day, is damaged`, hint);
    },
  });
}
