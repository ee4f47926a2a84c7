import { doneView } from "../../output/done.ts";
import { requireProfile } from "../../profiles/find.ts";
import { keyEntries } from "../../profiles/keys.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { Profile, Store } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { changeProfiles } from "../shared/profile-store.ts";

/** Where keys are made and revoked. */
export const dashboard = "the dashboard (Settings, API Keys)";

/** Changes the stored keys of a profile and shows `lines` and the `notice` on the changed profile, or all its keys with `--json`. */
export async function changeKeys(
  { name }: ChosenProfile,
  edit: (store: Store) => Store,
  lines: readonly string[],
  { host, presenter }: Context,
  notice: (name: string, profile: Profile) => Promise<readonly string[]> = async () => [],
): Promise<void> {
  const store = await changeProfiles({ host, presenter }, edit);
  const profile = requireProfile(store, name);
  presenter.show(doneView(keyEntries(profile, host), ...lines, ...(await notice(name, profile))));
}
