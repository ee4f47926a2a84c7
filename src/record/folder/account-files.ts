import { constants, readFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { parseJson } from "../../json.ts";
import { useFile } from "../../files/file-system.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { type AccountKeeper, type AccountNotes, notesFrom, notesOf } from "../account.ts";

const folderName = "payers";

export function accountFolder(state: StateFolder): AccountKeeper {
  const pathOf = (payer: string) => join(state.path, folderName, `${payer}.json`);
  return {
    noted: async (payer) => {
      try {
        requirePrivateState(state, folderName);
        return notesIn(readOwnFile(pathOf(payer)));
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

/** ext4 begins to flush a file that is cut to nothing or replaced, so the notes are merged in place. */
function addNotes(state: StateFolder, path: string, notes: AccountNotes): void {
  const file = openOrMakeFile(state, folderName, basename(path), constants.O_RDWR);
  useFile(file, path, () => {
    const line = JSON.stringify({ ...notesIn(readFileSync(file, "utf8")), ...notes });
    writeSync(file, `${line}\n`, 0);
  });
}

/** The end of a longer line may follow the notes, which are the first line. */
function notesIn(text: string): AccountNotes {
  return notesFrom(parseJson(text.split("\n", 1)[0] ?? ""));
}
