import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms status`: its flags and its help. */
export function statusCommand(run: Run) {
  const status = new Command("status")
    .summary("show what the next send would use, and from where")
    .description(
      "Show the profile, key, mode and base URL that the next send would use, where each of them comes from, and the last known balance and price. Uses no network without --check.",
    )
    .option("--check", "test connection, credentials, folders and clock")
    .action(({ check }, command) =>
      run(command, async (options, context) =>
        check
          ? (await import("./check.ts")).checkStatus(options, context)
          : (await import("./status.ts")).status(options, context),
      ),
    );
  return withExamples(
    withGlobalOptions(status, ["profile", "json", "quiet"]),
    ["sms status", "sms status --profile shop --json", "sms status --check"],
    "--check sends a request that cannot be delivered, and runs a key command for it. The exit code is that of the first check that fails; --quiet prints only what fails.",
  );
}
