import { execInSandbox } from "../../sending/sandbox.ts";
import type { Runner } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { number } from "../shared/option-values.ts";
import { setupOf, withSetupOptions } from "./setup-options.ts";

export function execCommand(run: Runner) {
  const messages = number("--expect-messages", "a whole number of messages", 0, 100_000);
  const command = withSetupOptions("exec")
    .summary("run a command with a sandbox, and count its messages")
    .description(
      "Start a sandbox on a free port, run a command with SMS_BASE_URL and SMS_API_KEY set for it, and end with the exit code of the command.",
    )
    .argument("<command...>", "the command and its arguments")
    .option("--expect-messages <n>", "fail unless the sandbox accepted n messages", messages)
    .passThroughOptions()
    .action((words, { expectMessages, ...flags }, self) =>
      run(self, async (_, context) => execInSandbox(words, expectMessages, setupOf(flags), context)),
    );
  return withExamples(withGlobalOptions(command, ["quiet"]), examples, notes);
}

const examples = [
  "sms sandbox exec -- npm test",
  "sms sandbox exec --expect-messages 1 -- sh notify.sh",
  'sms sandbox exec --credits 1 --fault "500:10%" -- ./send-invoices',
];

const notes = `The command runs without a shell. Options after its name are its own, and it gets the signals. If it ends with 0 and sent more or fewer messages than --expect-messages, the exit code is 11; otherwise it is the command's.

The command gets the live key, or the test key if SMS_EXPECT is test. It does not see your profiles and runs.`;
