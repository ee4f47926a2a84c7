import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { NumberSet } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { errorCode } from "../files/open-file.ts";
import { requirePrivateState, type StateFolder } from "../files/state-folder.ts";
import type { Guard } from "./guard.ts";
import { readNumbers, unreadableList, unusableList } from "./opt-out-list.ts";

/** The paths of the opt-outs. */
export interface OptOutFiles {
  readonly state: StateFolder;
  readonly folder: string;
  readonly list: string;
  /** Exists from the first list on, so that a lost list is not taken for none. */
  readonly marker: string;
  readonly lock: string;
}

/** Returns the paths of the opt-outs under the state folder. */
export function optOutFiles(state: StateFolder): OptOutFiles {
  const folder = join(state.path, "optout");
  return { state, folder, list: join(folder, "numbers"), marker: join(folder, "begun"), lock: join(folder, "lock") };
}

/**
 * Leaves out the numbers that have opted out. Throws `UNUSABLE_OPT_OUTS` for a list that is damaged, cannot be read or is
 * gone, and `INSECURE_STATE` for one that is not ours alone. No list at all is fine.
 */
export function optOuts(state: StateFolder): Guard {
  const files = optOutFiles(state);
  return guardOf(files, readAgain(files, undefined));
}

function guardOf(files: OptOutFiles, reading: Reading): Guard {
  const { numbers } = reading;
  const count = numbers.size === 1 ? "1 number" : `${numbers.size.toLocaleString("en")} numbers`;
  const guard: Guard = {
    ...(numbers.size > 0 && { rule: `without the ${count} of sms optout` }),
    hold: (number) =>
      numbers.has(number)
        ? {
            guard: "optedOut",
            effect: "leave-out",
            reason: `+${number} has opted out`,
            errorCode: "OPTED_OUT",
            hint: `\`sms optout list\` says when and why; \`sms optout remove +${number}\` allows it again`,
          }
        : undefined,
    renew: () => {
      const now = readAgain(files, reading);
      return now === reading ? guard : guardOf(files, now);
    },
  };
  return guard;
}

/** What was read of the list, and the state of its file; undefined if there is none. */
interface Reading {
  readonly numbers: NumberSet;
  readonly stats: Stats | undefined;
}

/** Reads the list, unless it is still as it was. */
function readAgain({ state, folder, list, marker }: OptOutFiles, before: Reading | undefined): Reading {
  try {
    const stats = before?.stats === undefined ? undefined : statSync(list, { throwIfNoEntry: false });
    if (before?.stats !== undefined && stats !== undefined && isSame(before.stats, stats)) return before;
    lstatSync(folder);
    requirePrivateState(state, "optout");
    return readNumbers(list);
  } catch (error) {
    if (error instanceof SmsError) throw error;
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error))) throw unreadableList(list, errorCode(error));
    // A folder without a list and without the marker is that of a first opt-out that was interrupted.
    if (before?.stats !== undefined || existsSync(marker)) throw unusableList(list, "it is gone");
    return before ?? { numbers: new NumberSet(), stats: undefined };
  }
}

function isSame(was: Stats, is: Stats): boolean {
  return was.ino === is.ino && was.size === is.size && was.mtimeMs === is.mtimeMs && was.ctimeMs === is.ctimeMs;
}
