import { plural } from "../words/count.ts";
import { removeCredentials } from "../profiles/edits.ts";
import { storedProfile } from "../profiles/resolve.ts";
import { confirmLoss } from "../terminal/prompt.ts";
import type { Context, Perform, GlobalOptions } from "../terminal/context.ts";
import { newCommand } from "./shared/options.ts";
import { changeProfile } from "../profiles/store.ts";
import { doneView } from "../terminal/layout.ts";

export function logoutCommand(perform: Perform) {
  return newCommand("logout", {
    endsWith: "done",
    description:
      "Delete every key and the password of a profile from this machine, after a confirmation. The keys stay valid: revoke them in the dashboard, under Settings, API Keys.",
    uses: ["profile", "json", "quiet", "input", "yes"],
    examples: ["sms logout", "sms logout --profile shop"],
  }).action((_, command) => perform(command, logout));
}

async function logout(options: GlobalOptions, { host, presenter }: Context): Promise<void> {
  const { name, keys } = storedProfile(host, options.profile);
  const count = Object.keys(keys).length;
  const what = count === 0 ? "the credentials" : plural(count, "key");
  await confirmLoss(`Remove ${what} of profile ${name}? The service never shows a key again.`, options, host);
  await changeProfile(name, { host, presenter }, removeCredentials);
  const json = { profile: name, keysForgotten: count };
  presenter.show(doneView(json, `Removed the credentials of profile ${name}.`));
}
