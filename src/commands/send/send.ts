import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { defaultRetries, defaultTimeout, limits, oneOf, repeated, single, span } from "../shared/option-values.ts";
import { noSuchOption, withExamples, withGlobalOptions } from "../shared/options.ts";

import { isRun, requireFit } from "./flags.ts";

/** `sms send`: its flags and its help. */
export function sendCommand(run: Run) {
  const command = new Command("send")
    .summary("send a message to one or many recipients")
    .description(
      "Send a text message to one recipient or to many. A send to many is a run: sms checks all of it first, records every result, and can resume it. Exit code 0 means that the service accepted every message.",
    )
    .optionsGroup("Recipients:")
    .option("-t, --to <number>", "a recipient; may be repeated", repeated("--to"))
    .option("-r, --recipients <file>", "a file of recipients: lines, CSV, NDJSON; - is stdin", single("--recipients"))
    .option(
      "--format <name>",
      "plain, csv or ndjson, if the guess is wrong",
      oneOf("--format", ["plain", "csv", "ndjson"]),
    )
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"))
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)", single("--country"))
    .option("--exclude <file>", "a file of numbers to leave out", single("--exclude"))
    .option("--skip-invalid", "leave invalid recipients out instead of stopping")
    .option("--allow-duplicates", "send to duplicate numbers too")
    .optionsGroup("Message:")
    .option("-m, --message <text>", "the text, with {{field}}s of the row; - for stdin", single("--message"))
    .option("--message-file <file>", "a file with the text; its final newline is dropped", single("--message-file"))
    .option("-s, --sender <name>", "the sender ID, by name or identifier", single("--sender"))
    .option("--gsm7", "replace characters (’ –) that force Unicode")
    .option("--literal", "send {{…}} to one recipient as written")
    .optionsGroup("Safety:")
    .option("-n, --dry-run", "check everything and send nothing")
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .option("--expect <kind>", "fail unless the key is test or live", oneOf("--expect", ["test", "live"]))
    .option("--only-to <file>", "refuse recipients who are not in this file", single("--only-to"))
    .option("--redirect-to <number>", "rehearse: send 3, or --first n, to this number", single("--redirect-to"))
    .option("--first <n>", "send the first n, check the charge, then stop or ask", limits.first)
    .option("--between <hours>", 'hours to send in: "08:00-20:00 Africa/Nairobi" or any', single("--between"))
    .option("--max-credits <n>", "stop before the charge passes n credits", limits.maxCredits)
    .option("--run <name>", "name the run; the same name continues it", single("--run"))
    .option("--again", "send a list of the last 12 hours once more")
    .option("--once <key>", "send once per key; a repeat shows the first outcome", single("--once"))
    .option("--for <time>", "free the key of --once after this time, such as 24h", span("--for"))
    .optionsGroup("Pace:")
    .option("--rate <n>", "n/min, free, starter or professional (default: 100)", limits.rate)
    .option("--concurrency <n>", "at most n requests in flight (default: 16)", limits.concurrency)
    .option("--timeout <seconds>", `give up on a request after this time (default: ${defaultTimeout})`, limits.timeout)
    .option("--retries <n>", `how often to retry what was not sent (default: ${defaultRetries})`, limits.retries)
    .optionsGroup("Command after --:")
    .option("--only <end>", "send only on failure, or only on success", oneOf("--only", ["failure", "success"]))
    .option("--longer-than <time>", "send only if it ran longer than this, such as 10m", span("--longer-than"))
    .usage("[options] [-- command...]")
    .action(({ timeout = defaultTimeout, retries = defaultRetries, ...flags }, self) =>
      run(self, async (globals, context, words) => {
        if (flags.sandbox && globals.profile !== undefined)
          throw noSuchOption("send --sandbox", "--profile", "leave it out: the sandbox uses no profile");
        const options = { ...flags, ...globals, timeout, retries };
        requireFit(options, words !== undefined);
        if (words !== undefined) {
          const { sendAfter } = await import("./after-command.ts");
          return sendAfter(words, options, context);
        }
        if (isRun(options)) {
          const { sendRun } = await import("./run.ts");
          return sendRun(options, context);
        }
        const { sendOne } = await import("./message.ts");
        return sendOne(options, context);
      }),
    );
  return withExamples(
    withGlobalOptions(command, ["profile", "json", "quiet", "verbose", "input", "yes"], "Output:"),
    examples,
    "The text comes from --message, --message-file or piped standard input.",
  );
}

const examples = [
  'sms send --to +254712345678 --message "Deploy finished"',
  'echo "Disk full on db1" | sms send --to +254712345678',
  'sms send --to "0712 345678" --country KE --message-file note.txt',
  `sms send --recipients customers.csv --max-credits 500 \\
      --message "Hi {{name}}, you owe KES {{due}}"`,
  'cut -d, -f2 list.csv | sms send --recipients - --message "Hi" --yes',
  'sms send --to +254712345678 --once "deploy-$SHA" --message "Deploy finished"',
  "sms send --to +254712345678 --longer-than 10m -- make release",
  'sms send --sandbox --to +254712345678 --message "Just testing" --json',
];
