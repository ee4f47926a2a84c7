import { CommanderError } from "@commander-js/extra-typings";
import { SmsError } from "../../errors.ts";
import type { FailureReport } from "../../output/text.ts";

/** The commands that send: a failure of one says what became of the message. */
const senders = new Set(["send", "runs resume"]);

/** Returns the report of what a command threw. `name` is what is typed after `sms` for it; empty if no command is known. */
export function failureOf(error: unknown, name: string): FailureReport {
  if (error instanceof SmsError) {
    const { kind, message, errorCode, httpStatus, hint, details, outcome } = error;
    return { kind, message, errorCode, httpStatus, hint, details, ...(senders.has(name) && { outcome }) };
  }
  if (error instanceof CommanderError) return usageReport(error, name);
  return {
    kind: "fault",
    message: `sms itself failed: ${error instanceof Error ? error.message : String(error)}`,
    errorCode: "FAULT",
    hint: "please report this, with the command that caused it",
  };
}

function usageReport({ code, message: text }: CommanderError, name: string): FailureReport {
  const help = `\`${["sms", name, "--help"].filter(Boolean).join(" ")}\``;
  // commander wanted to print the help because there was no command.
  if (code === "commander.help") {
    return {
      kind: "usage",
      message: "no command is given",
      errorCode: "NO_COMMAND",
      hint: `${help} lists the commands`,
    };
  }
  const [message = "", suggestion] = text.replace(/^error: /, "").split("\n");
  return {
    kind: "usage",
    message,
    errorCode: "USAGE",
    ...(senders.has(name) && { outcome: "unsent" }),
    hint: suggestion?.replace(/^\(D(.*)\)$/, "d$1") ?? `${help} shows how to use it`,
  };
}
