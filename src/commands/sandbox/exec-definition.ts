import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { number, oneOf } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";
import { withSetupOptions } from "./setup-options.ts";

/** `sms sandbox exec`: its flags and its help. */
export function execCommand(run: Run) {
  const command = withSetupOptions("exec")
    .summary("run a command with a sandbox, and count its messages")
    .description(
      "Start a sandbox on a free port, run a command with SMS_BASE_URL and SMS_API_KEY set for it, and end with the exit code of the command.",
    )
    .argument("<command...>", "the command and its arguments")
    .option(
      "--expect-messages <n>",
      "fail unless the sandbox accepted n messages",
      number("--expect-messages", "a whole number of messages", 0, 100_000),
    )
    .option("--mode <mode>", "the key for the command: test or live", oneOf("--mode", ["test", "live"]))
    .passThroughOptions()
    .action((words, flags, self) =>
      run(self, async (_, context) => (await import("./exec.ts")).execInSandbox(words, flags, context)),
    );
  return withExamples(withGlobalOptions(command, ["quiet"]), examples, notes);
}

const examples = [
  "sms sandbox exec -- npm test",
  "sms sandbox exec --expect-messages 1 -- sh notify.sh",
  'sms sandbox exec --credits 1 --fault "500:10%" --seed 7 -- ./send-invoices',
];

const notes = `The command runs without a shell and gets the signals; everything after its name belongs to it. The exit code is the command's, or 11 if it ended with 0 and sent more or fewer messages than --expect-messages.

It gets the live key unless --mode or SMS_EXPECT says test, and neither sees nor changes your profiles and runs.`;
