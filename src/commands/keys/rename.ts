import { renameKey } from "../../profiles/edits.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeKeys } from "./change.ts";

/** Gives a key of a profile another name. */
export async function renameStoredKey(
  from: string,
  to: string,
  options: GlobalOptions,
  context: Context,
): Promise<void> {
  const chosen = chooseProfile(loadStore(context.host), context.host.environment, options.profile);
  await changeKeys(
    chosen,
    (store) => renameKey(store, chosen.name, from, to),
    [`Renamed key ${from} to ${to}.`],
    context,
  );
}
