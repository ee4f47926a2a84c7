import { removeKey } from "../../profiles/edits.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Store } from "../../profiles/stored.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeKeys, dashboard } from "./change.ts";

/** Removes a key from this machine, after asking. */
export async function removeStoredKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host } = context;
  const store = loadStore(host);
  const chosen = chooseProfile(store, host.environment, options.profile);
  const edit = (before: Store) => removeKey(before, chosen.name, name);
  // Throws before the question if it cannot be removed.
  edit(store);
  await confirmLoss(`Remove key ${name}? The service never shows a key again.`, options, host);
  await changeKeys(
    chosen,
    edit,
    [`Removed key ${name} from this machine. If it is not revoked yet, revoke it in ${dashboard}.`],
    context,
  );
}
