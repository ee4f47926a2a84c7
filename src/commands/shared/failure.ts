import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { FailureReport } from "../../terminal/text.ts";
import { failureIn } from "../../terminal/failure.ts";
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
  {
    command,
    hasBegun,
    line,
  }: { readonly command: CommandUnknownOpts; readonly hasBegun: boolean; readonly line: () => Promise<WrongLine> },
): Promise<FailureReport> {
  const sends = senders.has(nameOf(command));
  if (error instanceof CommanderError) {
    const { slipReport } = await import("./slips.ts");
    return { kind: "usage", isSlip: true, ...slipReport(error, await line()), ...(sends && { outcome: "unsent" }) };
  }
  const report = failureIn(error, sends);
  return { ...report, isSlip: report.isSlip === true || (report.kind === "usage" && !hasBegun) };
}
