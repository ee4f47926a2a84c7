import { removeKey } from "../../profiles/edits.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeKeys, dashboard } from "./change.ts";

/** Removes a key from this machine. */
export async function removeStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const chosen = chooseProfile(loadStore(context.host), context.host.environment, options.profile);
  await changeKeys(
    chosen,
    (store) => removeKey(store, chosen.name, name),
    [`Removed key ${name} from this machine. If it is not revoked yet, revoke it in ${dashboard}.`],
    context,
  );
}
