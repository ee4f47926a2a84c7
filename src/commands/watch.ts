import { invalidOption } from "../errors.ts";
import { readSender } from "../message/sender.ts";
import type { AtMost } from "../sending/options.ts";
import type { Runner } from "../terminal/context.ts";
import { withGuards } from "./shared/guards.ts";
import { keyKind, limits, repeated, span, spanOf } from "./shared/option-values.ts";
import { newCommand } from "./shared/options.ts";

export function watchCommand(run: Runner) {
  return withGuards(watchOptions()).action((_, command) =>
    run(
      command,
      async ({ group: groupMs = 120_000, atMost = readAtMost("6/h"), segments = 2, ...options }, context) => {
        const { watch } = await import("../sending/watch/watching.ts");
        return watch({ ...options, groupMs, atMost, segments }, context);
      },
    ),
  );
}

function watchOptions() {
  return newCommand("watch", {
    description:
      "Read lines until the input ends, and send few texts: the first line at once, then how many lines of which kinds came.",
    uses: ["profile", "json", "quiet", "verbose"],
    outputHeading: "Output:",
    examples: [
      "journalctl -fu billing | grep --line-buffered ERROR | sms watch --to @oncall",
      "tail -F app.log | sms watch --to +254712345678 --group 10m --at-most 4/h",
      "sms watch --to +254712345678 --dry-run <yesterday.log",
    ],
    notes:
      "Lines that differ only in numbers, times, hex and UUIDs are of one kind. At the end of the input and at SIGTERM, gathered lines are sent. Ctrl-C sends nothing more, and says how many lines were not sent.",
  })
    .option("-t, --to <number>", "a recipient, or @name of a list; may be repeated", repeated)
    .option("--group <time>", "gather what follows for so long (default: 2m)", span(1))
    .option("--at-most <n/time>", "texts to each recipient in any such time (default: 6/h)", readAtMost)
    .option("-n, --dry-run", "print what would be sent and when, and send nothing")
    .optionsGroup("Texts:")
    .option("-m, --message <text>", "words of your own before the lines")
    .option("--segments <n>", "cut each text to so many segments (default: 2)", limits.segments)
    .option("-s, --sender <name>", "the sender ID, by name or identifier", readSender)
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)")
    .optionsGroup("Guards:")
    .option("--expect <kind>", "send only with a key of this kind: test or live", keyKind);
}

function readAtMost(words: string): AtMost {
  const [, texts = "", within = ""] = /^(\d{1,4})\/(.*)$/.exec(words) ?? [];
  const timeMs = spanOf(/^[a-z]$/.test(within) ? `1${within}` : within) ?? 0;
  if (Number(texts) > 0 && timeMs > 0) return { texts: Number(texts), timeMs, words };
  const hint = "give both as in 6/h, 1/30m or 20/d";
  throw invalidOption(`--at-most takes texts in a time, not ${JSON.stringify(words)}`, hint);
}
