import { Command } from "@commander-js/extra-typings";
import { type GlobalFlags, single, withGlobalOptions } from "../shared/options.ts";

/** The flags of `sms preview` as they were given. */
export interface PreviewFlags {
  readonly message?: string;
  readonly messageFile?: string;
  readonly gsm7?: true;
}

/** `sms preview`: its flags and its help. */
export function previewCommand(run: (flags: PreviewFlags & GlobalFlags) => Promise<void>) {
  const command = new Command("preview")
    .summary("count segments and show what raises the cost; sends nothing")
    .description(
      "Shows the segments of a message, the characters that force Unicode (70 per segment), and what --gsm7\nwould save. Uses no network. --quiet prints only the number of segments.",
    )
    .option("-m, --message <text>", "the text; - reads standard input", single("--message"))
    .option(
      "--message-file <file>",
      "the text from a file; one final newline is dropped",
      single("--message-file"),
    )
    .option("--gsm7", "replace look-alikes such as ’ and – first, as send --gsm7 does");
  return withGlobalOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  $ sms preview --message "It’s ready"
  $ sms preview --message-file note.txt --gsm7
  $ test "$(sms preview --quiet < note.txt)" -le 2`,
    )
    .action(run);
}
