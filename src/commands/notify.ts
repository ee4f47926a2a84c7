import type { Perform } from "../terminal/context.ts";
import { newCommand, withOptions } from "./shared/options.ts";

export function notifyCommand(perform: Perform) {
  return withOptions(describedNotify(), "notify")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .action(([path = "", ...words], _, self) =>
      perform(self, async (options, context) => {
        const { notify } = await import("../sending/notify/notify.ts");
        return notify([path, ...words], options, context);
      }),
    );
}

function describedNotify() {
  return newCommand("notify", {
    endsWith: "outcome",
    description: "Run a command, then send how it ended. If nothing could be sent, the command is not run.",
    uses: ["profile", "json", "quiet", "verbose", "input", "yes"],
    outputHeading: "Output:",
    examples: [
      "sms notify --to +254712345678 --longer-than 10m -- make release",
      "sms notify --to +254712345678 --only failure -- ./backup.sh",
      'sms notify --to +254712345678 -m "{{command}} ended with {{exit}}" -- make',
    ],
    notes:
      "The command has the streams, the terminal and the signals of sms, and no shell; everything after its name belongs to it. The exit code is always the command's own (128 + n for a signal). The text may have {{command}}, {{exit}}, {{duration}} and {{host}}.",
  }).option("-t, --to <number>", "the recipient (default: SMS_NOTIFY_TO, or notify-to)");
}
