import type { Host } from "../../host.ts";
import { stateFolder } from "../../profiles/folders.ts";

/** Returns the folder of this person's runs and cached balances. */
export function stateOf({ environment, platform, home }: Host): string {
  return stateFolder(environment, platform, home());
}
