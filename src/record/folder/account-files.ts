import { constants, readFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { parseJson } from "../../json.ts";
import { useFile } from "../../files/file-system.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { type AccountKeeper, type AccountStanding, standingFrom, standingOf } from "../account.ts";

const folderName = "payers";

export function accountFolder(state: StateFolder): AccountKeeper {
  const pathOf = (payer: string) => join(state.path, folderName, `${payer}.json`);
  return {
    noted: async (payer) => {
      try {
        requirePrivateState(state, folderName);
        return standingIn(readOwnFile(pathOf(payer)));
      } catch {
        return {};
      }
    },
    note: async (payer, outcome, at) => {
      if (outcome.kind === "unsent") return;
      try {
        addStanding(state, pathOf(payer), standingOf(outcome, at));
      } catch {
        // The next outcome is noted again.
      }
    },
  };
}

/** ext4 begins to flush a file that is cut to nothing or replaced, so the standing is merged in place. */
function addStanding(state: StateFolder, path: string, standing: AccountStanding): void {
  const file = openOrMakeFile(state, folderName, basename(path), constants.O_RDWR);
  useFile(file, path, () => {
    const line = JSON.stringify({ ...standingIn(readFileSync(file, "utf8")), ...standing });
    writeSync(file, `${line}\n`, 0);
  });
}

/** The end of a longer line may follow the standing, which is the first line. */
function standingIn(text: string): AccountStanding {
  return standingFrom(parseJson(text.split("\n", 1)[0] ?? ""));
}
