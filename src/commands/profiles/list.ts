import { profilesView } from "../../output/profiles.ts";
import { profileEntries } from "../../profiles/entries.ts";
import { loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";

export function listProfiles({ host, presenter }: Context): void {
  const profiles = profileEntries(loadStore(host));
  presenter.show(profilesView(profiles));
  if (profiles.length === 0) presenter.note("There are no profiles yet: `sms login` makes one.");
}
