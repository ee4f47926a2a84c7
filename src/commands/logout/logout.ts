import { jsonLine, visible } from "../../output/sanitize.ts";
import { plural } from "../../output/text.ts";
import { forgetCredentials } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles } from "../shared/profile-store.ts";
import { confirmLoss } from "../profiles/profiles.ts";

/** Forgets the credentials of the profile in question. */
export async function runLogout(options: GlobalOptions, { host }: Context): Promise<void> {
  const store = loadStore(host);
  const { name } = chooseProfile(store, host.environment, options.profile);
  const { keys } = requireProfile(store, name);
  const count = Object.keys(keys).length;
  const what = count === 0 ? "the credentials" : plural(count, "key");
  await confirmLoss(`Forget ${what} of profile ${name}? The service never shows a key again.`, options, host);
  await changeProfiles(host, (current) => forgetCredentials(current, name));
  if (options.json) host.stdout.write(jsonLine({ profile: name, keysForgotten: count }));
  else if (!options.quiet) host.stdout.write(`Profile ${visible(name)} has no credentials any more.\n`);
}
