/** A message is `accepted` only if the service says so; an answer that is not recognised is `uncertain`. */
export type OutcomeKind = "accepted" | "rejected" | "unsent" | "uncertain" | "pending";

interface Ending {
  readonly exitCode: number;
  readonly when: string;
  readonly sent: string;
  /** `safe` sends nothing twice; `after-fix` is safe only once the cause is removed. */
  readonly retry: "safe" | "never" | "after-fix";
  /** Absent if this ending does not decide the outcome of the message. */
  readonly outcome?: OutcomeKind;
}

/** A command can end in no other way. */
export const endings = {
  accepted: {
    exitCode: 0,
    when: "accepted; for a run, every message was accepted",
    sent: "yes",
    retry: "never",
    outcome: "accepted",
  },
  fault: { exitCode: 1, when: "a fault in sms itself", sent: "maybe", retry: "never" },
  usage: {
    exitCode: 2,
    when: "bad flags, invalid input, or not confirmed",
    sent: "no",
    retry: "after-fix",
    outcome: "unsent",
  },
  refused: { exitCode: 3, when: "400, or another refusal (4xx)", sent: "no", retry: "after-fix", outcome: "rejected" },
  unauthorized: {
    exitCode: 4,
    when: "401: the credentials were refused",
    sent: "no",
    retry: "after-fix",
    outcome: "rejected",
  },
  "no-credentials": {
    exitCode: 4,
    when: "there are no credentials to use",
    sent: "no",
    retry: "after-fix",
    outcome: "unsent",
  },
  "no-credits": { exitCode: 5, when: "402: not enough credits", sent: "no", retry: "after-fix", outcome: "rejected" },
  forbidden: {
    exitCode: 6,
    when: "403: the sender ID or this IP address is not allowed",
    sent: "no",
    retry: "after-fix",
    outcome: "rejected",
  },
  "rate-limited": {
    exitCode: 7,
    when: "429: still over the rate limit after the retries",
    sent: "no",
    retry: "safe",
    outcome: "unsent",
  },
  "server-error": { exitCode: 8, when: "5xx", sent: "maybe", retry: "never", outcome: "uncertain" },
  unreachable: {
    exitCode: 9,
    when: "not reached: name, connection, TLS or proxy",
    sent: "no",
    retry: "safe",
    outcome: "unsent",
  },
  "not-the-service": {
    exitCode: 9,
    when: "301, 307, 308, 404 or 405: this is not the service",
    sent: "no",
    retry: "safe",
    outcome: "unsent",
  },
  "no-answer": {
    exitCode: 10,
    when: "no usable answer: timed out, cut off, or not JSON",
    sent: "maybe",
    retry: "never",
    outcome: "uncertain",
  },
  incomplete: {
    exitCode: 11,
    when: "not all accepted, rows left out, wrong sandbox count",
    sent: "see the results",
    retry: "never",
  },
  limit: {
    exitCode: 12,
    when: "your own limit (credits, hours)",
    sent: "no; runs: maybe",
    retry: "after-fix",
  },
  "hung-up": {
    exitCode: 129,
    when: "hung up (SIGHUP), as when a terminal closes",
    sent: "see the results",
    retry: "never",
  },
  interrupted: { exitCode: 130, when: "interrupted (SIGINT)", sent: "see the results", retry: "never" },
  terminated: { exitCode: 143, when: "terminated (SIGTERM)", sent: "see the results", retry: "never" },
} as const satisfies Record<string, Ending>;

export type EndingKind = keyof typeof endings;

export type ErrorKind = Exclude<EndingKind, "accepted">;

interface FailureDetail {
  /** The service's `errorCode` if there is one, else one of ours in the same style. */
  readonly errorCode: string;
  readonly hint?: string;
  readonly httpStatus?: number;
  /** The outcome of the message, if the kind does not decide it; `none` if there was no message. */
  readonly outcome?: OutcomeKind | "none";
  readonly details?: readonly string[];
  /** A person sees this in place of the details. */
  readonly faults?: FaultSummary;
  /** Set if only the command line was wrong, so that nothing was sent or stored. */
  readonly isSlip?: true;
  readonly cause?: unknown;
}

export interface FaultSummary {
  /** Absent if the number of rows is not known. */
  readonly usable?: number;
  readonly reasons: readonly FaultReason[];
}

export interface FaultReason {
  readonly reason: string;
  readonly words: string;
  readonly rows: number;
  /** The first rows, in sentences with their lines. */
  readonly first: readonly string[];
}

/** `sms` throws no other error on purpose. Its message is for a person. */
export class SmsError extends Error {
  override readonly name = "SmsError";
  readonly kind: ErrorKind;
  readonly errorCode: string;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly outcome: OutcomeKind | undefined;
  readonly details: readonly string[];
  readonly faults: FaultSummary | undefined;
  readonly isSlip: boolean;

  constructor(kind: ErrorKind, message: string, detail: FailureDetail) {
    super(message, { cause: detail.cause });
    const ending: Ending = endings[kind];
    this.kind = kind;
    this.errorCode = detail.errorCode;
    this.hint = detail.hint;
    this.httpStatus = detail.httpStatus;
    this.details = detail.details ?? [];
    this.faults = detail.faults;
    this.isSlip = detail.isSlip === true;
    const outcome = detail.outcome ?? ending.outcome;
    this.outcome = outcome === "none" ? undefined : outcome;
  }
}

export function usageError(
  errorCode: string,
  message: string,
  more:
    | string
    | {
        readonly hint?: string;
        readonly details?: readonly string[];
        readonly faults?: FaultSummary;
      } = {},
): SmsError {
  const { hint, details = [], faults } = typeof more === "string" ? { hint: more } : more;
  return new SmsError("usage", message, {
    errorCode,
    details,
    ...(faults !== undefined && { faults }),
    ...(hint !== undefined && { hint }),
  });
}

export function slip(errorCode: string, message: string, hint: string): SmsError {
  return new SmsError("usage", message, { errorCode, hint, isSlip: true });
}

export function invalidOption(message: string, hint: string): SmsError {
  return slip("INVALID_OPTION", message, hint);
}

/** Undefined if the system did not refuse a file. */
export function fileError(error: unknown): SmsError | undefined {
  if (!(error instanceof Error && "syscall" in error && "path" in error && "code" in error)) return undefined;
  const code = String(error.code);
  return new SmsError("usage", `${String(error.path)} cannot be used (${code})`, {
    errorCode: "UNUSABLE_FILE",
    hint: wayOn(code),
    cause: error,
  });
}

function wayOn(code: string): string {
  switch (code) {
    case "ENOENT":
      return "it was moved or removed meanwhile: give the command again";
    case "ENOSPC":
    case "EDQUOT":
      return "make room there, then give the command again";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open: close other programs or raise `ulimit -n`, then give the command again";
    case "EIO":
      return "check its disk, then give the command again";
    default:
      return "make it yours to read and write, or set SMS_STATE_DIR and SMS_CONFIG_DIR to other folders";
  }
}

export function endingOf(stop: AbortSignal): "hung-up" | "interrupted" | "terminated" {
  if (stop.reason === "SIGHUP") return "hung-up";
  return stop.reason === "SIGTERM" ? "terminated" : "interrupted";
}

export function interruption(stop: AbortSignal, outcome: "unsent" | "none", message = "interrupted"): SmsError {
  return new SmsError(endingOf(stop), message, { errorCode: "INTERRUPTED", outcome });
}
