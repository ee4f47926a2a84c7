import { profilesView } from "../../output/profiles.ts";
import { profileEntries } from "../../profiles/entries.ts";
import { loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";

/** Lists the profiles. */
export function listProfiles({ host, presenter }: Context): void {
  presenter.show(profilesView(profileEntries(loadStore(host))));
}
