import { CommanderError } from "@commander-js/extra-typings";
import type { FailureReport } from "../../errors.ts";
import { failureIn } from "../../terminal/failure.ts";
import { nameOf } from "./options.ts";
import type { WrongLine } from "./wrong-line.ts";

/** The commands that send: a failure of one says what became of the message. */
const senders = new Set(["send", "notify", "runs resume"]);

export async function failureOf(error: unknown, line: WrongLine, hasBegun: boolean): Promise<FailureReport> {
  const sends = senders.has(nameOf(line.command));
  if (error instanceof CommanderError) {
    const { slipReport } = await import("./wrong-line.ts");
    return { kind: "usage", isSlip: true, ...(await slipReport(error, line)), ...(sends && { outcome: "unsent" }) };
  }
  const report = failureIn(error, sends);
  return { ...report, isSlip: report.isSlip === true || (report.kind === "usage" && !hasBegun) };
}
