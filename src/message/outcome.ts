import type { ErrorKind } from "../errors.ts";

/** The service's answer to an accepted message; fields that were missing or of another type are absent. */
export interface Receipt {
  readonly success: true;
  readonly messageId: string;
  readonly segments?: number;
  /** Credits charged. */
  readonly totalCredits?: number;
  /** Cost in KES. */
  readonly totalCostKes?: number;
  /** Credits remaining after the charge. */
  readonly newBalance?: number;
  readonly status?: string;
  /** Recipient, E.164. */
  readonly to: string;
  /** Name of the sender ID used. */
  readonly senderId?: string;
}

/** Why a message was not accepted. */
export interface Failure {
  readonly kind: ErrorKind;
  /** The service's sentence, else ours. Not sanitised: never print it unchanged. */
  readonly error: string;
  readonly errorCode: string;
  readonly httpStatus?: number;
}

/** When to retry an unsent message. */
export type RetryAdvice =
  | { readonly kind: "never" }
  | { readonly kind: "back-off" }
  /** Retry-After, in milliseconds. */
  | { readonly kind: "after"; readonly ms: number };

/** The outcome of one message. Only `unsent` is ever retried automatically. */
export type Outcome =
  | { readonly kind: "accepted"; readonly receipt: Receipt }
  | { readonly kind: "rejected"; readonly failure: Failure }
  /** `hint` says what to do, if it is more than the kind of the failure says. */
  | { readonly kind: "unsent"; readonly failure: Failure; readonly retry: RetryAdvice; readonly hint?: string }
  | { readonly kind: "uncertain"; readonly failure: Failure };
