import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { defaultRetries, defaultTimeout, limits } from "../shared/limits.ts";
import { oneOf, repeated, single } from "../shared/option-values.ts";
import { noSuchOption, withGlobalOptions } from "../shared/options.ts";
import { isRun } from "./flags.ts";

/** `sms send`: its flags and its help. */
export function sendCommand(run: Run) {
  const command = new Command("send")
    .summary("send a message to one or many recipients")
    .description(
      "Send a text message to one recipient or to many. A send to many is a run: sms checks all of it first, records every result, and can resume it. Exit code 0 means that the service accepted every message.",
    )
    .optionsGroup("Recipients:")
    .option("-t, --to <number>", "a recipient; may be repeated", repeated("--to"))
    .option(
      "-r, --recipients <file>",
      "a file of recipients: one number a line, CSV or NDJSON; - reads standard input",
      single("--recipients"),
    )
    .option(
      "--format <name>",
      "plain, csv or ndjson, if the guess is wrong",
      oneOf("--format", ["plain", "csv", "ndjson"]),
    )
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong", single("--to-column"))
    .option("--country <cc>", "the ISO country of numbers without +", single("--country"))
    .option("--exclude <file>", "a file of numbers to leave out", single("--exclude"))
    .option("--skip-invalid", "leave out invalid recipients instead of refusing the run")
    .option("--allow-duplicates", "send to duplicate numbers too")
    .optionsGroup("Message:")
    .option(
      "-m, --message <text>",
      "the text; {{field}} inserts a field of the recipient; - reads standard input",
      single("--message"),
    )
    .option("--message-file <file>", "a file with the text; its final newline is dropped", single("--message-file"))
    .option(
      "-s, --sender <name>",
      "the sender ID by its name (default: SMS_SENDER, else that of the profile or account)",
      single("--sender"),
    )
    .option("--sender-id <id>", "the sender ID by its identifier, 24 hex characters", single("--sender-id"))
    .option("--gsm7", "replace characters (’ –) that force Unicode (70 per segment)")
    .option("--literal", "send {{…}} to one recipient as written")
    .optionsGroup("Safety:")
    .option("-n, --dry-run", "check everything and send nothing")
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .option("--expect <kind>", "fail unless the key is test or live", oneOf("--expect", ["test", "live"]))
    .option(
      "--max-credits <n>",
      "refuse to start if the estimate is over n credits, and stop before the charge passes n",
      limits.maxCredits,
    )
    .option(
      "--run <name>",
      "name the run; the same command with that name continues it and sends nothing twice",
      single("--run"),
    )
    .optionsGroup("Pace:")
    .option("--rate <n>", "at most n requests a minute (default: the profile's, else 100)", limits.rate)
    .option("--tier <name>", "the rate of a tier: free, starter or professional", limits.tier)
    .option("--concurrency <n>", "at most n requests in flight (default: 16)", limits.concurrency)
    .option("--timeout <seconds>", `give up a request after this time (default: ${defaultTimeout})`, limits.timeout)
    .option("--retries <n>", `how often to retry what was not sent (default: ${defaultRetries})`, limits.retries)
    .addHelpText("after", help)
    .action(({ timeout = defaultTimeout, retries = defaultRetries, ...flags }, self) =>
      run(self, async (globals, context) => {
        if (flags.sandbox && globals.profile !== undefined)
          throw noSuchOption("send --sandbox", "--profile", "leave it out: the sandbox uses no profile");
        const options = { ...flags, ...globals, timeout, retries };
        if (isRun(options)) {
          const { sendRun } = await import("./run.ts");
          return sendRun(options, context);
        }
        const { sendOne } = await import("./message.ts");
        return sendOne(options, context);
      }),
    );
  return withGlobalOptions(command, ["profile", "json", "quiet", "verbose", "input", "yes"], "Output:");
}

const help = `
The text comes from --message, --message-file or piped standard input.

Examples:
  $ sms send --to +254712345678 --message "Deploy finished"
  $ echo "Disk full on db1" | sms send --to +254712345678
  $ sms send --to "0712 345678" --country KE --message-file note.txt
  $ sms send --recipients customers.csv --max-credits 500 \\
      --message "Hi {{name}}, you owe KES {{due}}"
  $ cut -d, -f2 list.csv | sms send --recipients - --message "Hi" --yes
  $ sms send --sandbox --to +254712345678 --message "Only trying" --json`;
