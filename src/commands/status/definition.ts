import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, withGlobalOptions } from "../shared/options.ts";

/** `sms status`: its flags and its help. */
export function statusCommand(run: (flags: GlobalFlags) => Promise<void>) {
  return withGlobalOptions(
    new Command("status")
      .summary("what the next send would use, and where each of it came from")
      .description(
        "Shows profile, key, mode and base URL, and the last known balance and price. Uses no network.",
      ),
  )
    .addHelpText("after", "\nExamples:\n  $ sms status\n  $ sms status --profile shop --json")
    .action(run);
}
