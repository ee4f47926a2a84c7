import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { StateFolder } from "../../files/state-folder.ts";
import { stateFolder } from "../../profiles/folders.ts";

/** What is kept in the state folder. */
type Recorded = "runs" | "opt-outs" | "keys of --once" | "the history";

/** Returns the folder of this person's runs, opt-outs and keys of `--once`. Throws a usage error `NO_HOME` if there is none. */
export function stateOf(host: Host, what: Recorded = "runs"): StateFolder {
  const folder = stateFolder(host);
  if (folder === undefined) throw noFolder(what);
  return folder;
}

/** Returns the error for something that must be stored by a user without a home folder. */
export function noFolder(what: Recorded | "credentials"): Error {
  const variable = what === "credentials" ? "SMS_CONFIG_DIR" : "SMS_STATE_DIR";
  return usageError(
    "NO_HOME",
    `there is no folder for ${what}: this user has no home folder`,
    `name a folder in ${variable}, or set HOME`,
  );
}
