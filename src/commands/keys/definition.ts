import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, withGlobalOptions } from "../shared/options.ts";

/** One of the verbs of `sms keys`, with the names it is given. */
export type KeysVerb =
  | { readonly kind: "list" }
  | { readonly kind: "add" | "use" | "rotate" | "remove"; readonly name: string }
  | { readonly kind: "verify"; readonly name: string | undefined }
  | { readonly kind: "rename"; readonly from: string; readonly to: string };

type Run = (verb: KeysVerb, flags: GlobalFlags) => Promise<void>;

/** `sms keys`: its verbs and their help. */
export function keysCommand(run: Run) {
  const keys = new Command("keys")
    .summary("the API keys kept on this machine")
    .description(
      "Keeps the API keys of a profile. The service shows a key only once, when the dashboard makes it\n(Settings, API Keys); here it is kept for you alone to read, and never shown whole.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ sms keys list
  $ sms keys add prod < key.txt
  $ sms keys rotate prod`,
    );
  const verb = (name: string, summary: string, example: string) =>
    withGlobalOptions(new Command(name).summary(summary).description(sentence(summary))).addHelpText(
      "after",
      `\nExamples:\n  $ ${example}`,
    );
  keys.addCommand(
    verb("list", "the keys, their modes and their ages", "sms keys list --json").action((flags) =>
      run({ kind: "list" }, flags),
    ),
  );
  keys.addCommand(
    verb("add", "keep a key, asked for without echo or from standard input", "sms keys add prod < key.txt")
      .argument("<name>", "the name to keep it under")
      .action((name, flags) => run({ kind: "add", name }, flags)),
  );
  keys.addCommand(
    verb("use", "make a key the one in use", "sms keys use prod")
      .argument("<name>")
      .action((name, flags) => run({ kind: "use", name }, flags)),
  );
  keys.addCommand(
    verb("rename", "give a key another name", "sms keys rename prod production")
      .argument("<from>")
      .argument("<to>")
      .action((from, to, flags) => run({ kind: "rename", from, to }, flags)),
  );
  keys.addCommand(
    verb("verify", "ask the service whether it takes a key; sends nothing", "sms keys verify prod")
      .argument("[name]", "the key (default: the one in use)")
      .action((name, flags) => run({ kind: "verify", name }, flags)),
  );
  keys.addCommand(
    verb("rotate", "replace a key by a new one, and keep the old one as retired", "sms keys rotate prod")
      .argument("<name>")
      .action((name, flags) => run({ kind: "rotate", name }, flags)),
  );
  keys.addCommand(
    verb("remove", "forget a key here; revoke it in the dashboard", "sms keys remove prod-retired")
      .argument("<name>")
      .action((name, flags) => run({ kind: "remove", name }, flags)),
  );
  return keys;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
