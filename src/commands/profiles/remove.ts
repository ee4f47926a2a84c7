import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import { removeProfile } from "../../profiles/edits.ts";
import { profileEntries } from "../../profiles/entries.ts";
import { requireProfile } from "../../profiles/find.ts";
import { loadStore } from "../../profiles/resolve.ts";
import type { Store } from "../../profiles/stored.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles } from "../shared/profile-store.ts";

/** Removes a profile with its keys, after asking. */
export async function removeStoredProfile(
  name: string,
  options: GlobalOptions,
  { host, presenter }: Context,
): Promise<void> {
  const edit = (before: Store) => removeProfile(before, name);
  const before = loadStore(host);
  // Throws before the question if it cannot be removed.
  edit(before);
  const count = plural(Object.keys(requireProfile(before, name).keys).length, "key");
  await confirmLoss(`Remove profile ${name} with ${count}?`, options, host);
  const store = await changeProfiles({ host, presenter }, edit);
  presenter.show(doneView(profileEntries(store), `Removed profile ${name}.`));
}
