import type { Host } from "../../host.ts";
import type { StateFolder } from "../../files/state-folder.ts";
import { stateFolder } from "../../profiles/folders.ts";

/** Returns the folder of this person's runs and cached balances. */
export function stateOf({ environment, platform, home, uid }: Host): StateFolder {
  return { path: stateFolder(environment, platform, home()), uid };
}
