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

const mistake = { sent: "no", retry: "after-fix", outcome: "unsent" } as const;
const refusal = { sent: "no", retry: "after-fix", outcome: "rejected" } as const;
const obstacle = { sent: "no", retry: "safe", outcome: "unsent" } as const;
const doubt = { sent: "maybe", retry: "never", outcome: "uncertain" } as const;
const several = { sent: "see the results", retry: "never" } as const;

/** Only `notify` ends in another way: as its command did. */
export const endings = {
  accepted: {
    exitCode: 0,
    when: "accepted; for a run, every message was accepted",
    sent: "yes",
    retry: "never",
    outcome: "accepted",
  },
  fault: { exitCode: 1, when: "a fault in sms itself", sent: "maybe", retry: "never" },
  usage: { exitCode: 2, when: "bad flags, invalid input, or not confirmed", ...mistake },
  refused: { exitCode: 3, when: "400, or another refusal (4xx)", ...refusal },
  unauthorized: { exitCode: 4, when: "401: the credentials were refused", ...refusal },
  "no-credentials": { exitCode: 4, when: "there are no credentials to use", ...mistake },
  "no-credits": { exitCode: 5, when: "402: not enough credits", ...refusal },
  forbidden: { exitCode: 6, when: "403: the sender ID or this IP address is not allowed", ...refusal },
  "rate-limited": { exitCode: 7, when: "429: still over the rate limit after the retries", ...obstacle },
  "server-error": { exitCode: 8, when: "5xx", ...doubt },
  unreachable: { exitCode: 9, when: "not reached: name, connection, TLS or proxy", ...obstacle },
  "not-the-service": { exitCode: 9, when: "301, 307, 308, 404 or 405: this is not the service", ...obstacle },
  "no-answer": { exitCode: 10, when: "no usable answer: timed out, cut off, or not JSON", ...doubt },
  incomplete: { exitCode: 11, when: "not all accepted, rows left out, wrong sandbox count", ...several },
  limit: { exitCode: 12, when: "your own limit (credits, hours)", sent: "no; runs: maybe", retry: "after-fix" },
  "hung-up": { exitCode: 129, when: "hung up (SIGHUP), as when a terminal closes", ...several },
  interrupted: { exitCode: 130, when: "interrupted (SIGINT)", ...several },
  terminated: { exitCode: 143, when: "terminated (SIGTERM)", ...several },
} as const satisfies Record<string, Ending>;

export type EndingKind = keyof typeof endings;

export type ErrorKind = Exclude<EndingKind, "accepted">;

export interface FailureReport {
  readonly kind: ErrorKind;
  /** The message may contain text from the service or from a file. */
  readonly message: string;
  /** The service's `errorCode` if there is one, else one of ours in the same style. */
  readonly errorCode: string;
  readonly hint?: string;
  readonly httpStatus?: number;
  readonly outcome?: OutcomeKind;
  readonly details?: readonly string[];
  /** A person sees this in place of the details. */
  readonly faults?: FaultSummary;
  /** Set if only the command line was wrong, so that nothing was sent or stored. */
  readonly isSlip?: boolean;
  /** True by default: an uncertain message may have reached a phone. */
  readonly reachesPhone?: boolean;
  /** Set if an earlier command with the same key of `--once` had this outcome. */
  readonly replayed?: boolean;
}

interface Detail extends Omit<
  FailureReport,
  "kind" | "errorCode" | "message" | "outcome" | "reachesPhone" | "replayed"
> {
  /** The outcome of the message, if the kind does not decide it; `none` if there was no message. */
  readonly outcome?: OutcomeKind | "none";
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
export class SmsError extends Error implements FailureReport {
  override readonly name = "SmsError";
  readonly kind: ErrorKind;
  readonly errorCode: string;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly outcome: OutcomeKind | undefined;
  readonly details: readonly string[];
  readonly faults: FaultSummary | undefined;
  readonly isSlip: boolean;

  /** A text in place of the details is the hint. */
  constructor(kind: ErrorKind, errorCode: string, message: string, more: string | Detail = {}) {
    const detail = typeof more === "string" ? { hint: more } : more;
    super(message, { cause: detail.cause });
    const ending: Ending = endings[kind];
    const outcome = detail.outcome ?? ending.outcome;
    this.kind = kind;
    this.errorCode = errorCode;
    this.hint = detail.hint;
    this.httpStatus = detail.httpStatus;
    this.outcome = outcome === "none" ? undefined : outcome;
    this.details = detail.details ?? [];
    this.faults = detail.faults;
    this.isSlip = detail.isSlip === true;
  }
}

export function usageError(
  errorCode: string,
  message: string,
  more?: string | Pick<Detail, "hint" | "details" | "faults" | "cause">,
): SmsError {
  return new SmsError("usage", errorCode, message, more);
}

export function slip(errorCode: string, message: string, hint: string): SmsError {
  return new SmsError("usage", errorCode, message, { hint, isSlip: true });
}

export function invalidOption(message: string, hint: string): SmsError {
  return slip("INVALID_OPTION", message, hint);
}

/** Undefined if the system did not refuse a file. */
export function fileError(error: unknown): SmsError | undefined {
  if (!(error instanceof Error && "syscall" in error && "path" in error && "code" in error)) return undefined;
  const code = String(error.code);
  const hint =
    waysOn[code] ??
    "make it yours to read and write, or name another place; SMS_STATE_DIR and SMS_CONFIG_DIR name what sms keeps";
  const message = `${String(error.path)} cannot be used (${code})`;
  return usageError("UNUSABLE_FILE", message, { hint, cause: error });
}

const fullDisk = "make room there, then give the command again";
const tooManyFiles = "too many files are open: close other programs or raise `ulimit -n`, then give the command again";

const waysOn: Readonly<Record<string, string>> = {
  ENOENT: "it was moved or removed meanwhile: give the command again",
  ENOSPC: fullDisk,
  EDQUOT: fullDisk,
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  EIO: "check its disk, then give the command again",
};

export function endingOf(stop: AbortSignal): "hung-up" | "interrupted" | "terminated" {
  if (stop.reason === "SIGHUP") return "hung-up";
  return stop.reason === "SIGTERM" ? "terminated" : "interrupted";
}

export function interruptionError(stop: AbortSignal, outcome: "unsent" | "none", message = "interrupted"): SmsError {
  return new SmsError(endingOf(stop), "INTERRUPTED", message, { outcome });
}
