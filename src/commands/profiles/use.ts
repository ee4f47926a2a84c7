import { doneView } from "../../output/done.ts";
import { useProfile } from "../../profiles/edits.ts";
import { profileEntries } from "../../profiles/entries.ts";
import { requireProfile } from "../../profiles/find.ts";
import type { Context } from "../shared/context.ts";
import { liveNotice } from "../shared/live-notice.ts";
import { changeProfiles } from "../shared/profile-store.ts";

/** Makes a profile the one in use. */
export async function useStoredProfile(name: string, { host, presenter }: Context): Promise<void> {
  const store = await changeProfiles({ host, presenter }, (before) => useProfile(before, name));
  const notice = await liveNotice(name, requireProfile(store, name));
  presenter.show(doneView(profileEntries(store), `Profile ${name} is in use.`, ...notice));
}
