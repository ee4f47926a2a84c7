import { Command } from "@commander-js/extra-typings";
import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { limits } from "../shared/limits.ts";
import { number, oneOf, repeated, single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";
import { messagesCommand } from "./messages-definition.ts";

/** `sms sandbox`: its flags, its verb and their help. */
export function sandboxCommand(run: Run) {
  const command = new Command("sandbox")
    .summary("run the service on this machine, for trials and tests")
    .description("Serve the messaging service on loopback until Ctrl-C. No message reaches a phone.")
    .option("--port <port>", "the port; 0 picks a free one (default: 4010)", number("--port", "ports", 0, 65_535, true))
    .option("--config <file>", "a JSON file with the setup; other options override it", single("--config"))
    .option("--tier <name>", "free, starter or professional (default: free)", limits.tier)
    .option("--rate <n>", "enforce n requests a minute instead of a tier", limits.rate)
    .option(
      "--credits <n>",
      "the credits that the account starts with (default: 1000)",
      number("--credits", "credits", 0, 1_000_000_000, true),
    )
    .option("--sender <name[:id]>", "an approved sender ID; may be repeated", repeated("--sender"))
    .option(
      "--path <path>",
      "the path of the service, or both",
      oneOf("--path", ["/api/v1/sms/send", "/v1/sms/send", "both"]),
    )
    .option("--fault <faults>", 'faults to inject, as "500:1%,hang:0.1%,latency:50..200"', single("--fault"))
    .option("--seed <n>", "repeat the faults of an earlier start", number("--seed", "seeds", 0, 2 ** 32 - 1, true))
    .option("--log", "print a line on stderr for each request")
    .action(({ port = 4010, log = false, ...flags }, self) =>
      run(self, async (_, context) => (await import("./serve.ts")).serveSandbox({ ...flags, port, log }, context)),
    );
  withGlobalOptions(command, ["json", "quiet"]).addCommand(messagesCommand(run));
  return withExamples(command, examples, notes);
}

const examples = [
  "sms sandbox",
  "sms sandbox --port 0 --json",
  "sms sandbox --credits 10 --tier starter",
  'sms sandbox --fault "500:5%,reset-after:1%" --seed 7 --log',
  "sms sandbox messages --to +254712345678 --wait-for 1",
];

const notes = `A recipient whose number ends in one of these gets the fault of that name: 000400, 000401, 000402, 000403, 000429, 000500, 000503, 000598, 000599, 000200.

--fault takes shares of 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage and cut-body, and latency:MIN..MAX in milliseconds.

The first --sender is the default. --path takes /api/v1/sms/send (the default), /v1/sms/send or both. --config takes an object with any of tier, rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials, faults and seed.

To see the messages: sms sandbox messages, /_sandbox/messages, or the page at /.`;
