import { readSender } from "../message/sender.ts";
import type { Runner } from "../terminal/context.ts";
import { requirePause, withGuards } from "./shared/guards.ts";
import { keyKind, limits, span, wordOf } from "./shared/option-values.ts";
import { newCommand } from "./shared/options.ts";

export function notifyCommand(run: Runner) {
  return withGuards(notifyOptions())
    .option("--wait", "outside the hours, wait for the opening")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .action(([path = "", ...words], _, self) =>
      run(self, async ({ longerThan: longerThanMs, ...options }, context) => {
        requirePause(options);
        const { notify } = await import("../sending/notify/notify.ts");
        return notify([path, ...words], { ...options, longerThanMs }, context);
      }),
    );
}

function notifyOptions() {
  return newCommand("notify", {
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
  })
    .option("-t, --to <number>", "the recipient")
    .option("-m, --message <text>", "a text of your own, with {{field}}s of the command")
    .option("--only <end>", "send only on failure, or only on success", wordOf(["failure", "success"]))
    .option("--longer-than <time>", "send only if it ran longer than this, such as 10m", span())
    .option("-n, --dry-run", "check everything, run and send nothing")
    .optionsGroup("Message:")
    .option("--message-file <file>", "a file with the text; its final newline is dropped")
    .option("-s, --sender <name>", "the sender ID, by name or identifier", readSender)
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)")
    .option("--segments <n>", "cut a longer text to n segments, at the end of a word", limits.segments)
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .optionsGroup("Guards:")
    .option("--once <key>", "send once per key; a repeat shows the first outcome")
    .option("--for <time>", "with --once: a pause, such as 1h, whatever the text", span())
    .option("--max-credits <n>", "send nothing that may cost more than n credits", limits.credits)
    .option("--expect <kind>", "send only with a key of this kind: test or live", keyKind);
}
