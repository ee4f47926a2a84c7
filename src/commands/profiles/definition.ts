import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms profiles`: its verbs and their help. */
export function profilesCommand(run: Run) {
  return new Command("profiles")
    .summary("list, switch and remove profiles")
    .description(
      "List, switch and remove profiles. A profile is a base URL with its credentials and defaults. `sms login --profile NAME` creates one.",
    )
    .addHelpText("after", "\nExamples:\n  $ sms profiles list\n  $ sms profiles use shop")
    .addCommand(
      withGlobalOptions(new Command("list"), ["json", "quiet"])
        .summary("list the profiles and mark the one in use")
        .description("List the profiles and mark the one in use.")
        .addHelpText("after", "\nExamples:\n  $ sms profiles list\n  $ sms profiles list --json")
        .action((_, command) =>
          run(command, async (_options, context) => {
            const { listProfiles } = await import("./list.ts");
            listProfiles(context);
          }),
        ),
    )
    .addCommand(
      withGlobalOptions(new Command("use"), ["json", "quiet"])
        .summary("switch to a profile")
        .description("Switch to a profile: sms uses it when neither --profile nor SMS_PROFILE names another.")
        .argument("<name>", "the profile")
        .addHelpText("after", "\nExamples:\n  $ sms profiles use shop")
        .action((name, _, command) =>
          run(command, async (_options, context) => {
            const { useStoredProfile } = await import("./use.ts");
            await useStoredProfile(name, context);
          }),
        ),
    )
    .addCommand(
      withGlobalOptions(new Command("remove"), ["json", "quiet", "input", "yes"])
        .summary("remove a profile with all its keys")
        .description("Remove a profile with all its keys, after a confirmation. The service never shows a key again.")
        .argument("<name>", "the profile")
        .addHelpText("after", "\nExamples:\n  $ sms profiles remove shop")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { removeStoredProfile } = await import("./remove.ts");
            await removeStoredProfile(name, options, context);
          }),
        ),
    );
}
