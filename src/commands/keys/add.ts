import { doneView } from "../../output/done.ts";
import { addKey, requireUnusedName } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { keyEntries } from "../../profiles/keys.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles, timestamp } from "../shared/profile-store.ts";
import { askForKey } from "./input.ts";

/** Adds a key to a profile. Asks for it, or reads it from standard input. */
export async function addNewKey(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const chosen = chooseProfile(loadStore(host), host.environment, options.profile);
  // Before anyone types a key that cannot be stored.
  if (chosen.profile !== undefined) requireUnusedName(chosen.profile, name);
  const key = await askForKey(`API key to store as ${name}`, options, context);
  const added = timestamp(host);
  const store = await changeProfiles(host, (before) => addKey(before, chosen.name, name, { key, added }));
  const profile = requireProfile(store, chosen.name);
  const { credentials } = profile;
  const isInUse = credentials.kind === "key" && credentials.name === name;
  const text = isInUse
    ? `Added ${key.mode} key ${name}, which is now in use.`
    : `Added ${key.mode} key ${name}. Run \`sms keys use ${name}\` to use it.`;
  presenter.show(doneView(keyEntries(profile, host), text));
}
