import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { type GlobalName, verb, withGlobalOptions } from "../shared/options.ts";

/** `sms keys`: its verbs and their help. */
export function keysCommand(run: Run) {
  const keys = new Command("keys")
    .summary("manage the API keys stored on this machine")
    .description(
      "Manage the API keys of a profile. The service shows a key only once, when the dashboard makes it (Settings, API Keys). sms stores it so that only you can read it, and never prints it whole.",
    )
    .addCommand(
      keyVerb("list", "list the keys with their modes and ages", "sms keys list --json", []).action((_, command) =>
        run(command, async (options, context) => (await import("./list.ts")).listKeys(options, context)),
      ),
    )
    .addCommand(
      withGlobalOptions(
        verb("add", "store a key that the service accepts", "sms keys add prod < key.txt")
          .description("Store a key, from a hidden prompt or standard input, once the service has accepted it.")
          .option("--no-verify", "do not check the key with the service"),
        ["profile", "json", "quiet", "verbose", "input"],
      )
        .argument("<name>", "a name for the key")
        .action((name, flags, command) =>
          run(command, async (options, context) =>
            (await import("./add.ts")).addNewKey(name, { ...flags, ...options }, context),
          ),
        ),
    )
    .addCommand(
      keyVerb("use", "switch to a key", "sms keys use prod", ["input", "yes"])
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) => (await import("./use.ts")).useStoredKey(name, options, context)),
        ),
    )
    .addCommand(
      keyVerb("rename", "rename a key", "sms keys rename prod production", [])
        .argument("<from>", "the key")
        .argument("<to>", "its new name")
        .action((from, to, _, command) =>
          run(command, async (options, context) =>
            (await import("./rename.ts")).renameStoredKey(from, to, options, context),
          ),
        ),
    )
    .addCommand(
      keyVerb("verify", "check a key with the service; sends no message", "sms keys verify prod", ["verbose"])
        .argument("[name]", "the key (default: the one in use)")
        .action((name, _, command) =>
          run(command, async (options, context) => (await import("./verify.ts")).verifyKey(name, options, context)),
        ),
    )
    .addCommand(
      keyVerb("rotate", "replace a key, and keep the old one as retired", "sms keys rotate prod", [
        "verbose",
        "input",
        "yes",
      ])
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) =>
            (await import("./rotate.ts")).rotateStoredKey(name, options, context),
          ),
        ),
    )
    .addCommand(
      keyVerb("remove", "remove a key from this machine", "sms keys remove prod-retired", ["input", "yes"])
        .description(
          "Remove a key from this machine, after a confirmation. It stays valid until you revoke it in the dashboard.",
        )
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) =>
            (await import("./remove.ts")).removeStoredKey(name, options, context),
          ),
        ),
    );
  return withExamples(keys, ["sms keys list", "sms keys add prod < key.txt", "sms keys rotate prod"]);
}

function keyVerb(name: string, summary: string, example: string, uses: readonly GlobalName[]) {
  return withGlobalOptions(verb(name, summary, example), ["profile", "json", "quiet", ...uses]);
}
