import { Command } from "@commander-js/extra-typings";
import { readSender } from "../message/sender.ts";
import type { Runner } from "../terminal/context.ts";
import { requirePause, withGuards } from "./shared/guards.ts";
import { limits, read, single, span, wordOf } from "./shared/option-values.ts";
import { withExamples, withGlobalOptions } from "./shared/options.ts";

export function notifyCommand(run: Runner) {
  const command = withGuards(notifyFlags())
    .option("--wait", "outside the hours, wait for the opening")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .action(([path = "", ...words], { longerThan: longerThanMs, ...flags }, self) =>
      run(self, async (globals, context) => {
        requirePause(flags);
        const { notify } = await import("../sending/notify/notify.ts");
        return notify([path, ...words], { ...flags, ...globals, longerThanMs }, context);
      }),
    );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet", "verbose", "input", "yes"], "Output:"),
    [
      "sms notify --to +254712345678 --longer-than 10m -- make release",
      "sms notify --to +254712345678 --only failure -- ./backup.sh",
      'sms notify --to +254712345678 -m "{{command}} ended with {{exit}}" -- make',
    ],
    "The command has the streams, the terminal and the signals of sms, and no shell; everything after its name belongs to it. The exit code is always the command's own (128 + n for a signal). The text may have {{command}}, {{exit}}, {{duration}} and {{host}}.",
  );
}

function notifyFlags() {
  return new Command("notify")
    .description("Run a command, then send how it ended. If nothing could be sent, the command is not run.")
    .option("-t, --to <number>", "the recipient", single("--to"))
    .option("-m, --message <text>", "a text of your own, with {{field}}s of the command", single("--message"))
    .option("--only <end>", "send only on failure, or only on success", wordOf("--only", ["failure", "success"]))
    .option("--longer-than <time>", "send only if it ran longer than this, such as 10m", span("--longer-than"))
    .option("-n, --dry-run", "check everything, run and send nothing")
    .optionsGroup("Message:")
    .option("--message-file <file>", "a file with the text; its final newline is dropped", single("--message-file"))
    .option("-s, --sender <name>", "the sender ID, by name or identifier", read("--sender", readSender))
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)", single("--country"))
    .option("--segments <n>", "cut a longer text to n segments, at the end of a word", limits.segments)
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .optionsGroup("Guards:")
    .option("--once <key>", "send once per key; a repeat shows the first outcome", single("--once"))
    .option("--for <time>", "with --once: a pause, such as 1h, whatever the text", span("--for"))
    .option("--max-credits <n>", "send nothing that may cost more than n credits", limits.maxCredits)
    .option("--expect <kind>", "send only with a key of this kind: test or live", wordOf("--expect", ["test", "live"]));
}
