import { existsSync } from "node:fs";
import { doneView } from "../../output/done.ts";
import { plural } from "../../output/text.ts";
import { removeCredentials } from "../../profiles/edits.ts";
import { requireProfile } from "../../profiles/find.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { runsFolder } from "../../runs/run-files.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { changeProfiles } from "../shared/profile-store.ts";
import { stateOf } from "../shared/state.ts";

/** Removes the credentials of a profile, after asking. */
export async function logout(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const store = loadStore(host);
  const { name } = chooseProfile(store, host.environment, options.profile);
  const count = Object.keys(requireProfile(store, name).keys).length;
  const what = count === 0 ? "the credentials" : plural(count, "key");
  await confirmLoss(`Remove ${what} of profile ${name}? The service never shows a key again.`, options, host);
  await changeProfiles({ host, presenter }, (current) => removeCredentials(current, name));
  const json = { profile: name, keysForgotten: count };
  presenter.show(doneView(json, `Removed the credentials of profile ${name}.`));
  const runs = runsFolder(stateOf(host));
  if (existsSync(runs)) {
    presenter.note(`Recorded runs, with numbers and texts, stay in ${runs}: \`sms runs remove NAME\` removes one.`);
  }
}
