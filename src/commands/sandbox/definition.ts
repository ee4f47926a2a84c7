import { withExamples } from "../shared/examples.ts";
import type { Run } from "../shared/context.ts";
import { number, single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";
import { execCommand } from "./exec-definition.ts";
import { messagesCommand } from "./messages-definition.ts";
import { withSetupOptions } from "./setup-options.ts";

/** `sms sandbox`: its flags, its verbs and their help. */
export function sandboxCommand(run: Run) {
  const command = withSetupOptions("sandbox")
    .summary("simulate the service on this machine, for tests")
    .description("Simulate the messaging service on this machine until Ctrl-C. No message reaches a phone.")
    .option("--port <port>", "the port; 0 picks a free one (default: 4010)", number("--port", "a port", 0, 65_535))
    .option("--host <address>", "serve other machines too, at 0.0.0.0 for example", single("--host"))
    .option("--keep <file>", "keep the messages in this file over a restart", single("--keep"))
    // For the options of the command that exec runs.
    .enablePositionalOptions()
    .action(({ port = 4010, host = "127.0.0.1", keep, ...flags }, self) =>
      run(self, async (_, context) => (await import("./serve.ts")).serveSandbox(flags, { port, host, keep }, context)),
    );
  withGlobalOptions(command, ["json", "quiet"]).addCommand(messagesCommand(run)).addCommand(execCommand(run));
  return withExamples(command, examples, notes);
}

const examples = [
  "sms sandbox",
  "sms sandbox --port 0 --json",
  "sms sandbox --credits 10 --tier starter",
  'sms sandbox --fault "500:5%,reset-after:1%" --seed 7 --log',
  "sms sandbox messages --to +254712345678 --wait-for 1",
  "sms sandbox --host 0.0.0.0",
  "sms sandbox --keep messages.ndjson",
  "sms sandbox exec --expect-messages 1 -- sh notify.sh",
];

const notes = `A recipient whose number ends in one of these gets the fault of that name: 000400, 000401, 000402, 000403, 000429, 000500, 000503, 000598, 000599, 000200.

--fault takes shares of 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage and cut-body, and latency:MIN..MAX in milliseconds.

The first --sender is the default. --config takes an object with any of tier, rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials, faults and seed.

To see the messages: sms sandbox messages, /_sandbox/messages, or the page at /.`;
