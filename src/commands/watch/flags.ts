import type { AtMost } from "../../sending/options.ts";
import { Command } from "@commander-js/extra-typings";
import { readSender } from "../../message/sender.ts";
import { invalidOption } from "../../errors.ts";
import { withGuards } from "../shared/guards.ts";
import { number, wordOf, read, repeated, single, span, spanOf } from "../shared/option-values.ts";

export function withWatchFlags() {
  const command = new Command("watch")
    .description(
      "Read lines until the input ends, and send few texts: the first line at once, then how many lines of which kinds came.",
    )
    .option("-t, --to <number>", "a recipient, or @name of a list; may be repeated", repeated("--to"))
    .option("--group <time>", "gather what follows for so long (default: 2m)", span("--group", 1))
    .option(
      "--at-most <n/time>",
      "texts to each recipient in any such time (default: 6/h)",
      read("--at-most", readAtMost),
    )
    .option("--quiet-after <time>", "send one text when no line came for so long", span("--quiet-after", 1))
    .option("-n, --dry-run", "print what would be sent and when, and send nothing")
    .optionsGroup("Texts:")
    .option("-m, --message <text>", "words of your own before the lines", single("--message"))
    .option(
      "--segments <n>",
      "cut each text to so many segments (default: 2)",
      number("--segments", "a whole number of segments", { least: 1, most: 10 }),
    )
    .option("-s, --sender <name>", "the sender ID, by name or identifier", read("--sender", readSender))
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)", single("--country"))
    .optionsGroup("Guards:")
    .option("--expect <kind>", "fail unless the key is test or live", wordOf("--expect", ["test", "live"]));
  return withGuards(command);
}

export function readAtMost(words: string): AtMost {
  const [, texts = "", within = ""] = /^(\d{1,4})\/(.*)$/.exec(words) ?? [];
  const time = spanOf(/^[a-z]$/.test(within) ? `1${within}` : within) ?? 0;
  if (Number(texts) > 0 && time > 0) return { texts: Number(texts), time, words };
  throw invalidOption(
    `--at-most takes texts in a time, not ${JSON.stringify(words)}`,
    "give both as in 6/h, 1/30m or 20/d",
  );
}
