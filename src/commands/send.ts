import { Command } from "@commander-js/extra-typings";
import {
  type GlobalFlags,
  type GlobalOptions,
  number,
  oneOf,
  repeated,
  single,
  withGlobalOptions,
} from "./options.ts";

/** Seconds for one request, from first try to last byte. */
const defaultTimeout = 30;

/** Tries after the first, for what was provably not sent. */
const defaultRetries = 3;

/** The flags of `sms send` as they were given. */
export interface SendFlags {
  readonly to?: readonly string[];
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
}

/** What `sms send` is given. */
export type SendOptions = SendFlags & GlobalOptions;

/** `sms send`: its flags and its help. */
export function sendCommand(run: (flags: SendFlags & GlobalFlags) => Promise<void>) {
  const command = new Command("send")
    .summary("send one message")
    .description("Sends one text message. Exit code 0 means that the service accepted it.")
    .option("-t, --to <number>", "the recipient", repeated("--to"))
    .option("-m, --message <text>", "the text; - reads standard input", single("--message"))
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
    .option("--gsm7", "replace look-alikes such as ’ and – that force the dear encoding, and say so")
    .option("-n, --dry-run", "do everything but send")
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .option("--expect <kind>", "fail unless the key is test or live", oneOf("--expect", ["test", "live"]))
    .option(
      "--timeout <seconds>",
      `for the request, from first try to last byte (default: ${defaultTimeout})`,
      number("--timeout", "seconds", 0.001, 86_400, false),
    )
    .option(
      "--retries <n>",
      `tries again for what was provably not sent, and for 429 (default: ${defaultRetries})`,
      number("--retries", "tries", 0, 100, true),
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
  $ sms send --sandbox --to +254712345678 --message "Only trying" --json`,
    )
    .action(({ timeout = defaultTimeout, retries = defaultRetries, ...flags }) =>
      run({ ...flags, timeout, retries }),
    );
}
