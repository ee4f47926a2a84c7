import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, withGlobalOptions } from "../shared/options.ts";

/** One of the verbs of `sms profiles`. */
export type ProfilesVerb =
  | { readonly kind: "list" }
  | { readonly kind: "use" | "remove"; readonly name: string };

type Run = (verb: ProfilesVerb, flags: GlobalFlags) => Promise<void>;

/** `sms profiles`: its verbs and their help. */
export function profilesCommand(run: Run) {
  const profiles = new Command("profiles")
    .summary("named sets of base URL, credentials and defaults")
    .description(
      "A profile holds a base URL, credentials and defaults. `sms login --profile NAME` makes one.",
    )
    .addHelpText("after", "\nExamples:\n  $ sms profiles list\n  $ sms profiles use shop");
  profiles.addCommand(
    withGlobalOptions(new Command("list").summary("the profiles, and which is in use"))
      .description("Lists the profiles.")
      .addHelpText("after", "\nExamples:\n  $ sms profiles list --json")
      .action((flags) => run({ kind: "list" }, flags)),
  );
  profiles.addCommand(
    withGlobalOptions(new Command("use").summary("make a profile the one in use"))
      .description(
        "Makes a profile the one that is used where neither --profile nor SMS_PROFILE names another.",
      )
      .argument("<name>")
      .addHelpText("after", "\nExamples:\n  $ sms profiles use shop")
      .action((name, flags) => run({ kind: "use", name }, flags)),
  );
  profiles.addCommand(
    withGlobalOptions(new Command("remove").summary("forget a profile with all its keys"))
      .description("Forgets a profile with all its keys, after asking. The service never shows a key again.")
      .argument("<name>")
      .addHelpText("after", "\nExamples:\n  $ sms profiles remove shop")
      .action((name, flags) => run({ kind: "remove", name }, flags)),
  );
  return profiles;
}
