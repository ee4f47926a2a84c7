import { doneView } from "../../output/done.ts";
import { requireProfile } from "../../profiles/find.ts";
import { keyEntries } from "../../profiles/keys.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { Store } from "../../profiles/stored.ts";
import type { Context } from "../shared/context.ts";
import { changeProfiles } from "../shared/profile-store.ts";

/** Where keys are made and revoked. */
export const dashboard = "the dashboard (Settings, API Keys)";

/** Changes the stored keys of a profile and shows `lines`, or all its keys with `--json`. */
export async function changeKeys(
  { name }: ChosenProfile,
  edit: (store: Store) => Store,
  lines: readonly string[],
  { host, presenter }: Context,
): Promise<void> {
  const store = await changeProfiles({ host, presenter }, edit);
  presenter.show(doneView(keyEntries(requireProfile(store, name), host), ...lines));
}
