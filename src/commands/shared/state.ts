import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { StateFolder } from "../../files/state-folder.ts";
import { stateFolder } from "../../profiles/folders.ts";

/** Returns the folder of this person's runs. Throws a usage error `NO_HOME` if there is none. */
export function stateOf(host: Host): StateFolder {
  const folder = stateFolder(host);
  if (folder === undefined) throw noFolder("runs");
  return folder;
}

/** Returns the error for something that must be stored by a user without a home folder. */
export function noFolder(what: "runs" | "credentials"): Error {
  const variable = what === "runs" ? "SMS_STATE_DIR" : "SMS_CONFIG_DIR";
  return usageError(
    "NO_HOME",
    `there is no folder for ${what}: this user has no home folder`,
    `name a folder in ${variable}, or set HOME`,
  );
}
