import { useKey } from "../../profiles/edits.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Store } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { liveNotice } from "../shared/live-notice.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeKeys } from "./change.ts";
import { confirmSwitch } from "./input.ts";

/** Makes a key of a profile the one in use. */
export async function useStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const chosen = chooseProfile(loadStore(context.host), context.host.environment, options.profile);
  await confirmSwitch(chosen, options, context.host);
  const edit = (store: Store) => useKey(store, chosen.name, name);
  await changeKeys(chosen, edit, [`Key ${name} is in use.`], context, liveNotice);
}
