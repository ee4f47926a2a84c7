import { type FailureReport, fileError, SmsError } from "../errors.ts";
import { reportHint } from "../version.ts";

export function failureIn(error: unknown, sends: boolean): FailureReport {
  const report = error instanceof SmsError ? error : fileError(error);
  if (report !== undefined) {
    const { kind, message, errorCode, httpStatus, hint, details, faults, outcome, isSlip } = report;
    return { kind, message, errorCode, httpStatus, hint, details, faults, isSlip, ...(sends && { outcome }) };
  }
  const message = `sms itself failed: ${error instanceof Error ? error.message : String(error)}`;
  return { kind: "fault", message, errorCode: "FAULT", hint: reportHint };
}
