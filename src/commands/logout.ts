import { Command } from "@commander-js/extra-typings";
import { plural } from "../words/count.ts";
import { removeCredentials } from "../profiles/edits.ts";
import { requireProfile } from "../profiles/stored.ts";
import { profileInUse, loadStore } from "../profiles/resolve.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import type { Context, Runner, GlobalOptions } from "../terminal/context.ts";
import { withExamples, withGlobalOptions } from "./shared/options.ts";
import { changeProfiles } from "../profiles/change.ts";
import { doneView } from "../terminal/layout.ts";

export function logoutCommand(run: Runner) {
  const command = withGlobalOptions(new Command("logout"), ["profile", "json", "quiet", "input", "yes"])
    .description(
      "Delete every key and the password of a profile from this machine, after a confirmation. The keys stay valid: revoke them in the dashboard, under Settings, API Keys.",
    )
    .action((_, self) => run(self, logout));
  return withExamples(command, ["sms logout", "sms logout --profile shop"]);
}

async function logout(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const { name } = profileInUse(host, options.profile);
  const count = Object.keys(requireProfile(loadStore(host), name).keys).length;
  const what = count === 0 ? "the credentials" : plural(count, "key");
  await confirmLoss(`Remove ${what} of profile ${name}? The service never shows a key again.`, options, host);
  await changeProfiles({ host, presenter }, (current) => removeCredentials(current, name));
  const json = { profile: name, keysForgotten: count };
  presenter.show(doneView(json, `Removed the credentials of profile ${name}.`));
}
