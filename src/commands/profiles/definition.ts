import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { settings } from "../../profiles/stored.ts";
import { choosing } from "../shared/option-values.ts";
import { verb, withGlobalOptions } from "../shared/options.ts";

/** `sms profiles`: its verbs and their help. */
export function profilesCommand(run: Run) {
  const profiles = new Command("profiles")
    .summary("list, switch, change and remove profiles")
    .description(
      "List, switch, change and remove profiles. A profile is a base URL with its credentials and defaults. `sms login --profile NAME` creates one.",
    )
    .addCommand(
      withGlobalOptions(
        verb("list", "list the profiles and mark the one in use", "sms profiles list", "sms profiles list --json"),
        ["json", "quiet"],
      ).action((_, command) =>
        run(command, async (_options, context) => (await import("./list.ts")).listProfiles(context)),
      ),
    )
    .addCommand(
      withGlobalOptions(verb("use", "switch to a profile", "sms profiles use shop"), ["json", "quiet"])
        .description("Switch to a profile: sms uses it when neither --profile nor SMS_PROFILE names another.")
        .argument("<name>", "the profile")
        .action((name, _, command) =>
          run(command, async (_options, context) => (await import("./use.ts")).useStoredProfile(name, context)),
        ),
    )
    .addCommand(
      withGlobalOptions(
        verb(
          "set",
          "set or clear a default of a profile",
          "sms profiles set sender ACME",
          "sms profiles set rate starter --profile shop",
          "sms profiles set country --unset",
        )
          .description(
            "Set or clear a default of a profile: the sender, the country, how fast a run is sent (requests a minute, or a tier), the hours of live sends and their time zone, the only numbers to send to, or whether single messages go into the history.",
          )
          .option("--unset", "clear it"),
        ["profile", "json", "quiet"],
      )
        .argument(
          "<setting>",
          settings.join("|"),
          choosing(settings, (text: string) => text),
        )
        .argument("[value]", "its new value")
        .action((setting, value, flags, command) =>
          run(command, async (options, context) =>
            (await import("./set.ts")).setProfileDefault(setting, value, { ...flags, ...options }, context),
          ),
        ),
    )
    .addCommand(
      withGlobalOptions(verb("remove", "remove a profile with all its keys", "sms profiles remove shop"), [
        "json",
        "quiet",
        "input",
        "yes",
      ])
        .description("Remove a profile with all its keys, after a confirmation. The service never shows a key again.")
        .argument("<name>", "the profile")
        .action((name, _, command) =>
          run(command, async (options, context) =>
            (await import("./remove.ts")).removeStoredProfile(name, options, context),
          ),
        ),
    );
  return withExamples(profiles, ["sms profiles list", "sms profiles use shop"]);
}
