import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { type GlobalName, withGlobalOptions } from "../shared/options.ts";

/** `sms keys`: its verbs and their help. */
export function keysCommand(run: Run) {
  return new Command("keys")
    .summary("manage the API keys stored on this machine")
    .description(
      "Manage the API keys of a profile. The service shows a key only once, when the dashboard makes it (Settings, API Keys). sms stores it so that only you can read it, and never prints it whole.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ sms keys list
  $ sms keys add prod < key.txt
  $ sms keys rotate prod`,
    )
    .addCommand(
      verb("list", "list the keys with their modes and ages", "sms keys list --json", []).action((_, command) =>
        run(command, async (options, context) => {
          const { listKeys } = await import("./list.ts");
          listKeys(options, context);
        }),
      ),
    )
    .addCommand(
      verb("add", "store a key, typed without echo or from standard input", "sms keys add prod < key.txt", ["input"])
        .argument("<name>", "a name for the key")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { addNewKey } = await import("./add.ts");
            await addNewKey(name, options, context);
          }),
        ),
    )
    .addCommand(
      verb("use", "switch to a key", "sms keys use prod", ["input", "yes"])
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { useStoredKey } = await import("./use.ts");
            await useStoredKey(name, options, context);
          }),
        ),
    )
    .addCommand(
      verb("rename", "rename a key", "sms keys rename prod production", [])
        .argument("<from>", "the key")
        .argument("<to>", "its new name")
        .action((from, to, _, command) =>
          run(command, async (options, context) => {
            const { renameStoredKey } = await import("./rename.ts");
            await renameStoredKey(from, to, options, context);
          }),
        ),
    )
    .addCommand(
      verb("verify", "check a key with the service; sends no message", "sms keys verify prod", ["verbose"])
        .argument("[name]", "the key (default: the one in use)")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { verifyKey } = await import("./verify.ts");
            await verifyKey(name, options, context);
          }),
        ),
    )
    .addCommand(
      verb("rotate", "replace a key with a new one and keep the old one as retired", "sms keys rotate prod", [
        "verbose",
        "input",
        "yes",
      ])
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { rotateStoredKey } = await import("./rotate.ts");
            await rotateStoredKey(name, options, context);
          }),
        ),
    )
    .addCommand(
      verb("remove", "remove a key from this machine", "sms keys remove prod-retired", [])
        .description("Remove a key from this machine. It stays valid until you revoke it in the dashboard.")
        .argument("<name>", "the key")
        .action((name, _, command) =>
          run(command, async (options, context) => {
            const { removeStoredKey } = await import("./remove.ts");
            await removeStoredKey(name, options, context);
          }),
        ),
    );
}

function verb(name: string, summary: string, example: string, uses: readonly GlobalName[]) {
  return withGlobalOptions(new Command(name), ["profile", "json", "quiet", ...uses])
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .addHelpText("after", `\nExamples:\n  $ ${example}`);
}
