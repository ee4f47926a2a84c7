import { type FailureReport, fileError, SmsError } from "../errors.ts";
import { reportHint } from "../version.ts";

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
