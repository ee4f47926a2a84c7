import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms preview`: its flags and its help. */
export function previewCommand(run: Run) {
  const command = new Command("preview")
    .summary("count segments, and show what raises the cost")
    .description(
      "Show the segments of a message, the characters that force Unicode, and what --gsm7 would save. Nothing is sent, and no network is used. --quiet prints only the number of segments.",
    )
    .option("-m, --message <text>", "the text; - reads standard input", single("--message"))
    .option("--message-file <file>", "a file with the text; its final newline is dropped", single("--message-file"))
    .option("--gsm7", "replace characters (’ –) that force Unicode")
    .action((flags, self) =>
      run(self, async (options, context) => (await import("./preview.ts")).preview({ ...flags, ...options }, context)),
    );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet"]),
    [
      'sms preview --message "It’s ready"',
      "sms preview --message-file note.txt --gsm7",
      'test "$(sms preview --quiet < note.txt)" -le 2',
    ],
    "The text comes from --message, --message-file or piped standard input.",
  );
}
