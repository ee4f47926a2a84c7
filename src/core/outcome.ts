import type { ErrorKind } from "../errors.ts";

/** The service's receipt for an accepted message, by its own names. What it left out, or gave in another type, is absent. */
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
  /** The service's own sentence where it gave one, else ours. Not yet safe to print. */
  readonly error: string;
  readonly errorCode: string;
  readonly httpStatus?: number;
}

/** When an unsent message may be tried again. */
export type RetryAdvice =
  | { readonly kind: "never" }
  | { readonly kind: "back-off" }
  /** The service asked for this wait, in milliseconds. */
  | { readonly kind: "after"; readonly ms: number };

/** What became of one message. Only `unsent` may ever be repeated unasked. */
export type Outcome =
  | { readonly kind: "accepted"; readonly receipt: Receipt }
  | { readonly kind: "rejected"; readonly failure: Failure }
  | { readonly kind: "unsent"; readonly failure: Failure; readonly retry: RetryAdvice }
  | { readonly kind: "uncertain"; readonly failure: Failure };
