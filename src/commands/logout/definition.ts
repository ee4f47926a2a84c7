import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, withGlobalOptions } from "../shared/options.ts";

/** `sms logout`: its flags and its help. */
export function logoutCommand(run: (flags: GlobalFlags) => Promise<void>) {
  return withGlobalOptions(
    new Command("logout")
      .summary("forget the credentials of a profile")
      .description(
        "Forgets every key of the profile and the account's password, after asking. It revokes nothing: that is\ndone in the dashboard, under Settings, API Keys.",
      ),
  )
    .addHelpText("after", "\nExamples:\n  $ sms logout\n  $ sms logout --profile shop")
    .action(run);
}
