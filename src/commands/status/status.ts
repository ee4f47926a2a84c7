import { Command } from "@commander-js/extra-typings";
import { chooseProfile } from "../../profiles/resolve.ts";
import { statusOf } from "../../profiles/keys.ts";
import type { Context, Run } from "../shared/context.ts";
import { type GlobalOptions, withExamples, withGlobalOptions } from "../shared/options.ts";
import { warnOfRotation } from "../shared/profile.ts";
import { statusView } from "./view.ts";

/** `sms status`: its flags and its help. */
export function statusCommand(run: Run) {
  const command = new Command("status")
    .summary("show what the next send would use, and from where")
    .description(
      "Show the profile, key, mode and base URL that the next send would use, where each of them comes from, and the last known balance and price. Uses no network without --check.",
    )
    .option("--check", "test connection, credentials, folders and clock")
    .action(({ check }, self) =>
      run(self, async (options, context) =>
        check ? (await import("./check.ts")).checkStatus(options, context) : showStatus(options, context, undefined),
      ),
    );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet"]),
    ["sms status", "sms status --profile shop --json", "sms status --check"],
    "--check sends a request that cannot be delivered, and runs a key command for it. The exit code is that of the first check that fails; --quiet prints only what fails.",
  );
}

/** Shows what the next send would use. Throws what would stop that send: no credentials, no base URL, an unsafe store. */
export async function showStatus(
  { profile }: GlobalOptions,
  { host, presenter }: Pick<Context, "host" | "presenter">,
  heading: string | undefined,
): Promise<void> {
  const found = await statusOf(chooseProfile(host, profile), host);
  for (const warning of found.warnings) presenter.warn(warning);
  const { credentials } = found;
  if (credentials.kind === "key" && credentials.name !== null && credentials.ageDays !== null) {
    warnOfRotation(credentials.name, credentials.ageDays, profile, presenter);
  }
  presenter.show(statusView(found, host.now(), heading));
}
