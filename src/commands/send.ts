import { invalidOption, usageError } from "../errors.ts";
import { readSender } from "../message/sender.ts";
import { checkRunName } from "../record/runs.ts";
import { isList } from "../recipients/groups.ts";
import { defaultRetries, defaultTimeout } from "../sending/limits.ts";
import { isRun, sayUnread, type SendOptions } from "../sending/options.ts";
import type { Runner } from "../terminal/context.ts";
import { requirePause, withGuardsOfRuns } from "./shared/guards.ts";
import { keyKind, lacking, limits, repeated, span, wordOf } from "./shared/option-values.ts";
import { newCommand, runsHeading } from "./shared/options.ts";

export function sendCommand(run: Runner) {
  return withSendOptions().action((_, command) =>
    run(command, async ({ timeout = defaultTimeout, retries = defaultRetries, ...flags }, context) => {
      const options = { ...flags, timeout, retries };
      requireFit(options);
      sayUnread(options, context);
      if (isRun(options)) {
        const { sendRun } = await import("../sending/run/run.ts");
        return sendRun(options, context);
      }
      const { sendMessage } = await import("../sending/message/message.ts");
      return sendMessage(options, context);
    }),
  );
}

function withSendOptions() {
  const command = newCommand("send", {
    description: "Send a text message to one recipient or to many.",
    uses: ["profile", "json", "quiet", "verbose", "input", "yes"],
    outputHeading: "Output:",
    examples: [
      'sms send --to +254712345678 --message "Deploy finished"',
      'sms send --to +254712345678 --once "deploy-$SHA" --message "Deploy finished"',
      'echo "Disk full on db1" | sms send --to +254712345678',
      'sms send --recipients customers.csv --message "Hi {{name}}" --dry-run',
      'sms send --to "0712 345678" --country KE --message-file note.txt',
      `sms send --recipients customers.csv --max-credits 500 \\
      --message "Hi {{name}}, you owe KES {{due}}"`,
      'cut -d, -f2 list.csv | sms send --recipients - --message "Hi" --yes',
      'sms send --sandbox --to +254712345678 --message "Just testing" --json',
    ],
    notes:
      "The text comes from --message, --message-file or piped standard input; at a terminal, sms asks for a number and a text that are not given. A send to many is a run: sms checks all of it first, records every result, and can resume it. Exit code 0 means that the service accepted every message.",
  })
    .option("-t, --to <number>", "a recipient, or @name of a list; may be repeated", repeated)
    .option("-r, --recipients <file>", "a list: lines, CSV, .xlsx, NDJSON; - is stdin")
    .option("-m, --message <text>", "the text, with {{field}}s of the row; - for stdin")
    .option("--message-file <file>", "a file with the text; its final newline is dropped")
    .option("-s, --sender <name>", "the sender ID, by name or identifier", readSender)
    .option("--country <cc>", "the country of local numbers (default: SMS_COUNTRY)")
    .option("-n, --dry-run", "check everything and send nothing")
    .option("--sandbox", "send to a sandbox inside this command; needs no login")
    .option("--max-credits <n>", "stop before the charge passes n credits", limits.credits)
    .option("--run <name>", "name the run; the same name continues it", checkRunName)
    .optionsGroup("Message:")
    .option("--gsm7", "replace characters (’ –) that force Unicode")
    .option("--segments <n>", "cut a longer text to n segments, at the end of a word", limits.segments)
    .option("--literal", "send {{…}} to one recipient as written")
    .optionsGroup("Guards:")
    .option("--once <key>", "send once per key; a repeat shows the first outcome")
    .option("--for <time>", "with --once: a pause, such as 1h, whatever the text", span())
    .option("--expect <kind>", "send only with a key of this kind: test or live", keyKind);
  return withGuardsOfRuns(command)
    .optionsGroup("Request:")
    .option("--timeout <seconds>", `give up on a request after this time (default: ${defaultTimeout})`, limits.timeout)
    .option("--retries <n>", `how often to retry what was not sent (default: ${defaultRetries})`, limits.retries)
    .optionsGroup(runsHeading)
    .option("--format <name>", "plain, csv or ndjson, if the guess is wrong", wordOf(["plain", "csv", "ndjson"]))
    .option("--to-column <name>", "the column with the numbers, if the guess is wrong")
    .option("--skip-invalid", "leave invalid recipients out instead of stopping")
    .option("--allow-duplicates", "send to duplicate numbers too")
    .option("--repeated <what>", "send or skip who had the text within 12 hours", wordOf(["send", "skip"]))
    .option("--redirect-to <number>", "rehearse: send the first 3 to this number")
    .option("--rate <n>", "n/min, free, starter or professional (default: 100)", limits.rate);
}

/** Throws a usage error for flags that do not go with each other. */
function requireFit(flags: SendOptions): void {
  if (!isRun(flags)) refuseFlagsOfRuns(flags);
  requirePartners(flags);
  requirePause(flags);
  if (!isRun(flags)) return;
  if (flags.once !== undefined) {
    const hint = "name the run with --run: the same name never sends twice";
    throw invalidOption("--once is for a single message, and this is a run", hint);
  }
  if (flags.literal) {
    const hint = "leave it out: a run fills each {{field}} from its rows";
    throw invalidOption("--literal is for a single message, and this is a run", hint);
  }
  if (flags.recipients === "-" && (flags.message === "-" || flags.messageFile === "-")) {
    const what = "both the recipients and the text are to come from standard input";
    throw usageError("AMBIGUOUS_INPUT", what, "give one of them in a file");
  }
}

function requirePartners(flags: SendOptions): void {
  const list = flags.recipients ?? flags.to?.find(isList);
  const pairs = [
    ["--repeated", flags.repeated, "--recipients", flags.recipients],
    ["--to-column", flags.toColumn, "--recipients", list],
    ["--format", flags.format, "--recipients", list],
  ] as const;
  const lonely = pairs.find(([, value, , partner]) => value !== undefined && partner === undefined);
  if (lonely !== undefined) throw lacking(lonely[0], lonely[2]);
}

function refuseFlagsOfRuns(flags: SendOptions): void {
  const ofRuns = {
    "--rate": flags.rate,
    "--skip-invalid": flags.skipInvalid,
    "--allow-duplicates": flags.allowDuplicates,
    "--exclude": flags.exclude,
    "--repeated": flags.repeated,
  };
  const [option] = Object.entries(ofRuns).find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return;
  throw invalidOption(`${option} is for runs, and this is a single message`, "leave it out, or name a run with --run");
}
