import { usageError } from "../errors.ts";
import { isList } from "../recipients/groups.ts";
import { isRun, refuseUnread, sayUnread } from "../sending/options.ts";
import type { Perform } from "../terminal/context.ts";
import { newCommand, withOptions } from "./shared/options.ts";

export function sendCommand(perform: Perform) {
  return withOptions(describedSend(), "message", "run").action((_, command) =>
    perform(command, async (typed, context) => {
      let options = typed;
      if (typed.to?.some(isList)) {
        const { withOnlyNumber } = await import("../sending/only-number.ts");
        options = await withOnlyNumber(typed, context);
      }
      refuseUnread(options, isRun(options) ? "run" : "message");
      if (options.recipients === "-" && (options.message === "-" || options.messageFile === "-")) {
        const what = "both the recipients and the text are to come from standard input";
        throw usageError("AMBIGUOUS_INPUT", what, "give one of them in a file");
      }
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

function describedSend() {
  return newCommand("send", {
    endsWith: "outcome",
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
  });
}
