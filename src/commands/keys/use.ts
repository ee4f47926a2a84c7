import { useKey } from "../../profiles/edits.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeKeys } from "./change.ts";
import { confirmSwitch } from "./input.ts";

/** Makes a key of a profile the one in use. */
export async function useStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const chosen = chooseProfile(loadStore(context.host), context.host.environment, options.profile);
  await confirmSwitch(chosen, options, context.host);
  await changeKeys(chosen, (store) => useKey(store, chosen.name, name), [`Key ${name} is in use.`], context);
}
