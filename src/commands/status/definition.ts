import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms status`: its flags and its help. */
export function statusCommand(run: Run) {
  const status = withGlobalOptions(new Command("status"), ["profile", "json", "quiet"])
    .summary("show what the next send would use, and from where")
    .description(
      "Show the profile, key, mode and base URL that the next send would use, where each of them comes from, and the last known balance and price. Uses no network.",
    )
    .action((_, command) =>
      run(command, async (options, context) => (await import("./status.ts")).status(options, context)),
    );
  return withExamples(status, ["sms status", "sms status --profile shop --json"]);
}
