import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms logout`: its flags and its help. */
export function logoutCommand(run: Run) {
  const logout = withGlobalOptions(new Command("logout"), ["profile", "json", "quiet", "input", "yes"])
    .summary("delete the credentials of a profile")
    .description(
      "Delete every key and the password of a profile from this machine, after a confirmation. The keys stay valid: revoke them in the dashboard, under Settings, API Keys.",
    )
    .action((_, command) =>
      run(command, async (options, context) => (await import("./logout.ts")).logout(options, context)),
    );
  return withExamples(logout, ["sms logout", "sms logout --profile shop"]);
}
