import { Command } from "@commander-js/extra-typings";
import { defaultRetries, defaultTimeout, limits } from "../shared/limits.ts";
import {
  type GlobalFlags,
  type GlobalOptions,
  oneOf,
  repeated,
  single,
  withGlobalOptions,
} from "../shared/options.ts";

/** The flags of `sms send` as they were given. */
export interface SendFlags {
  readonly to?: readonly string[];
  readonly recipients?: string;
  readonly message?: string;
  readonly messageFile?: string;
  readonly sender?: string;
  readonly senderId?: string;
  readonly country?: string;
  readonly gsm7?: true;
  readonly dryRun?: true;
  readonly sandbox?: true;
  readonly expect?: "test" | "live";
  readonly timeout: number;
  readonly retries: number;
  readonly yes?: true;
  readonly maxCredits?: number;
  readonly rate?: number;
  readonly tier?: "free" | "starter" | "professional";
  readonly concurrency?: number;
  readonly run?: string;
  readonly skipInvalid?: true;
  readonly allowDuplicates?: true;
  readonly exclude?: string;
  readonly toColumn?: string;
  readonly format?: "plain" | "csv" | "ndjson";
}

/** What `sms send` is given. */
export type SendOptions = SendFlags & GlobalOptions;

/** `sms send`: its flags and its help. */
export function sendCommand(run: (flags: SendFlags & GlobalFlags) => Promise<void>) {
  const command = new Command("send")
    .summary("send one message, or one to each of many recipients")
    .description(
      "Sends one text message, or one to each of many recipients: a run, which is planned whole, recorded, and can be\nresumed. Exit code 0 means that the service accepted all of it.",
    )
    .option("-t, --to <number>", "a recipient; may be repeated", repeated("--to"))
    .option(
      "-r, --recipients <file>",
      "a file of recipients: a number a line, CSV or NDJSON; - for standard input",
      single("--recipients"),
    )
    .option(
      "-m, --message <text>",
      "the text, with {{field}} for what recipients carry; - reads standard input",
      single("--message"),
    )
    .option(
      "--message-file <file>",
      "the text from a file; one final newline is dropped",
      single("--message-file"),
    )
    .option(
      "-s, --sender <name>",
      "sender ID by name (default: SMS_SENDER, else the account's)",
      single("--sender"),
    )
    .option("--sender-id <id>", "sender ID by identifier, 24 hex characters", single("--sender-id"))
    .option("--country <cc>", "ISO country in which numbers without + are read", single("--country"))
    .option("--gsm7", "replace characters (’ –) that force Unicode (70 per segment), and say so")
    .option("-n, --dry-run", "do everything but send")
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .option("--expect <kind>", "fail unless the key is test or live", oneOf("--expect", ["test", "live"]))
    .option(
      "--timeout <seconds>",
      `for the request, from first try to last byte (default: ${defaultTimeout})`,
      limits.timeout,
    )
    .option(
      "--retries <n>",
      `tries again for what was provably not sent, and for 429 (default: ${defaultRetries})`,
      limits.retries,
    )
    .option("-y, --yes", "do not ask before a run with a live key")
    .option(
      "--max-credits <n>",
      "do not start where the estimate is over n, and stop before the charge passes n",
      limits.maxCredits,
    )
    .option("--rate <n>", "requests per minute at most (default: the profile's, else 100)", limits.rate)
    .option(
      "--tier <name>",
      "the account's tier in place of a rate: free, starter or professional",
      limits.tier,
    )
    .option("--concurrency <n>", "requests in flight at most (default: 8)", limits.concurrency)
    .option(
      "--run <name>",
      "name the run: the same again continues it, and never sends twice",
      single("--run"),
    )
    .option("--skip-invalid", "leave invalid recipients out instead of refusing the whole run")
    .option("--allow-duplicates", "send again to a number that stands twice")
    .option("--exclude <file>", "numbers never to send to", single("--exclude"))
    .option("--to-column <name>", "the column of the number, where the guess is wrong", single("--to-column"))
    .option(
      "--format <name>",
      "plain, csv or ndjson, where the guess is wrong",
      oneOf("--format", ["plain", "csv", "ndjson"]),
    );
  return withGlobalOptions(command)
    .addHelpText(
      "after",
      `
The text comes from --message, --message-file, or standard input when that is piped.

Examples:
  $ sms send --to +254712345678 --message "Deploy finished"
  $ echo "Disk full on db1" | sms send --to +254712345678
  $ sms send --to "0712 345678" --country KE --sender ACME --message-file note.txt
  $ sms send --recipients customers.csv --message "Hi {{name}}, you owe KES {{due}}" --max-credits 500
  $ cut -d, -f2 list.csv | sms send --recipients - --message-file note.txt --yes
  $ sms send --sandbox --to +254712345678 --message "Only trying" --json`,
    )
    .action(({ timeout = defaultTimeout, retries = defaultRetries, ...flags }) =>
      run({ ...flags, timeout, retries }),
    );
}
