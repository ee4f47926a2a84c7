import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { fileError, SmsError } from "../../errors.ts";
import type { FailureReport } from "../../output/text.ts";
import { reportHint } from "../../version.ts";
import type { WrongLine } from "./slips.ts";
import { nameOf } from "./options.ts";

/** The commands that send: a failure of one says what became of the message. */
const senders = new Set(["send", "runs resume"]);

/**
 * Returns the report of what a command threw, or of a command line that `hasBegun` no command. `line` is asked for if it cannot
 * be parsed.
 */
export async function failureOf(
  error: unknown,
  command: CommandUnknownOpts,
  hasBegun: boolean,
  line: () => Promise<WrongLine>,
): Promise<FailureReport> {
  const sends = senders.has(nameOf(command));
  if (error instanceof CommanderError) {
    const { slipReport } = await import("./slips.ts");
    return { kind: "usage", isSlip: true, ...slipReport(error, await line()), ...(sends && { outcome: "unsent" }) };
  }
  const report = failureIn(error, sends);
  return { ...report, isSlip: report.isSlip === true || (report.kind === "usage" && !hasBegun) };
}

/** Returns the report of any other error than a wrong command line; `sends` if it says what became of a message. */
export function failureIn(error: unknown, sends: boolean): FailureReport {
  const known = error instanceof SmsError ? error : fileError(error);
  if (known !== undefined) {
    const { kind, message, errorCode, httpStatus, hint, details, faults, outcome, isSlip } = known;
    return { kind, message, errorCode, httpStatus, hint, details, faults, isSlip, ...(sends && { outcome }) };
  }
  return {
    kind: "fault",
    message: `sms itself failed: ${error instanceof Error ? error.message : String(error)}`,
    errorCode: "FAULT",
    hint: reportHint,
  };
}
