import { constants, readFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { parseJson } from "../../json.ts";
import { useFile } from "../../files/file-system.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { accountKeeper, type AccountStanding, standingFrom } from "../account.ts";

const folderName = "payers";

export function accountFolder(state: StateFolder) {
  const pathOf = (credentials: string) => join(state.path, folderName, `${credentials}.json`);
  return accountKeeper(
    (credentials) => {
      requirePrivateState(state, folderName);
      return storedIn(readOwnFile(pathOf(credentials)));
    },
    (credentials, standing) => addStanding(state, pathOf(credentials), standing),
  );
}

/** ext4 begins to flush a file that is cut to nothing or replaced, so the standing is merged in place. */
function addStanding(state: StateFolder, path: string, standing: AccountStanding): void {
  const file = openOrMakeFile(state, folderName, basename(path), constants.O_RDWR);
  useFile(file, path, () => {
    const line = JSON.stringify({ ...standingFrom(storedIn(readFileSync(file, "utf8"))), ...standing });
    writeSync(file, `${line}\n`, 0);
  });
}

/** The end of a longer line may follow the standing, which is the first line. */
function storedIn(text: string): unknown {
  return parseJson(text.split("\n", 1)[0] ?? "");
}
