/** What became of one message. Only the service's own word makes it `accepted`; what is not recognised is `uncertain`. */
export type OutcomeKind = "accepted" | "rejected" | "unsent" | "uncertain" | "pending";

interface Ending {
  readonly exitCode: number;
  /** When a command ends this way, as `sms help exit-codes` prints it. */
  readonly when: string;
  /** Whether a message went out, in the same table. */
  readonly sent: string;
  /** What this ending says of a message by itself; absent where the ending alone does not tell. */
  readonly outcome?: OutcomeKind;
}

/** The one table from the way a command ends to its exit code. A kind without a row does not compile. */
export const endings = {
  accepted: { exitCode: 0, when: "accepted", sent: "yes", outcome: "accepted" },
  fault: { exitCode: 1, when: "a fault in sms itself", sent: "" },
  usage: { exitCode: 2, when: "usage: bad flags, invalid input", sent: "no", outcome: "unsent" },
  refused: {
    exitCode: 3,
    when: "400 or another refusal of the request (4xx)",
    sent: "no",
    outcome: "rejected",
  },
  unauthorized: { exitCode: 4, when: "401, the credentials were refused", sent: "no", outcome: "rejected" },
  "no-credentials": { exitCode: 4, when: "no credentials at hand", sent: "no", outcome: "unsent" },
  "no-credits": { exitCode: 5, when: "402, not enough credits", sent: "no", outcome: "rejected" },
  forbidden: {
    exitCode: 6,
    when: "403, the sender ID or this IP address is not authorised",
    sent: "no",
    outcome: "rejected",
  },
  "rate-limited": {
    exitCode: 7,
    when: "429, still over the rate limit after the retries",
    sent: "no",
    outcome: "unsent",
  },
  "server-error": { exitCode: 8, when: "5xx", sent: "maybe", outcome: "uncertain" },
  unreachable: {
    exitCode: 9,
    when: "the service was not reached: name, connection, TLS or proxy",
    sent: "no",
    outcome: "unsent",
  },
  "not-the-service": {
    exitCode: 9,
    when: "301, 307, 308, 404 or 405: what is at that address is not the service",
    sent: "no",
    outcome: "unsent",
  },
  "no-answer": {
    exitCode: 10,
    when: "no usable answer after the request began: timed out, cut off, not the documented JSON",
    sent: "maybe",
    outcome: "uncertain",
  },
  incomplete: {
    exitCode: 11,
    when: "a run ended and some recipients were not accepted; or fewer messages came than --wait-for",
    sent: "see the results",
  },
  limit: {
    exitCode: 12,
    when: "your own limit (--max-credits) stopped it",
    sent: "see the results",
  },
  interrupted: { exitCode: 130, when: "interrupted by SIGINT", sent: "see the results" },
  terminated: { exitCode: 143, when: "interrupted by SIGTERM", sent: "see the results" },
} as const satisfies Record<string, Ending>;

/** The ways a command can end. */
export type EndingKind = keyof typeof endings;

/** The ways a command can fail. */
export type ErrorKind = Exclude<EndingKind, "accepted">;

/** What a failure carries beside its sentence. */
export interface FailureDetail {
  /** The service's `errorCode` where it gave one, else one of ours in the same style. */
  readonly errorCode: string;
  /** The sentence that names the next step. */
  readonly hint?: string;
  /** The status of the answer, where there was one. */
  readonly httpStatus?: number;
  /** What became of the message, where the kind alone does not tell; `none` where there was no message. */
  readonly outcome?: OutcomeKind | "none";
  /** What the sentence sums up, one thing a line. */
  readonly details?: readonly string[];
  readonly cause?: unknown;
}

/** The one error that `sms` throws on purpose: it cannot go on, and says why in words meant for a person. */
export class SmsError extends Error {
  override readonly name = "SmsError";
  readonly kind: ErrorKind;
  readonly errorCode: string;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly outcome: OutcomeKind | undefined;
  readonly details: readonly string[];

  constructor(kind: ErrorKind, message: string, detail: FailureDetail) {
    super(message, { cause: detail.cause });
    const ending: Ending = endings[kind];
    this.kind = kind;
    this.errorCode = detail.errorCode;
    this.hint = detail.hint;
    this.httpStatus = detail.httpStatus;
    this.details = detail.details ?? [];
    const outcome = detail.outcome ?? ending.outcome;
    this.outcome = outcome === "none" ? undefined : outcome;
  }
}

/** A usage error: what was typed or given cannot be sent as it stands, and nothing was. */
export function usageError(
  errorCode: string,
  message: string,
  hint?: string,
  details: readonly string[] = [],
): SmsError {
  return new SmsError("usage", message, { errorCode, details, ...(hint !== undefined && { hint }) });
}

/** Returns the ending for the signal that aborted `stop`: `terminated` for SIGTERM, else `interrupted`. */
export function endingOf(stop: AbortSignal): "interrupted" | "terminated" {
  return stop.reason === "SIGTERM" ? "terminated" : "interrupted";
}

/** Returns the error for a command that the signal of `stop` ended; its outcome is `none` if there was no message. */
export function interruption(
  stop: AbortSignal,
  outcome: "unsent" | "none",
  message = "interrupted",
): SmsError {
  return new SmsError(endingOf(stop), message, { errorCode: "INTERRUPTED", outcome });
}
