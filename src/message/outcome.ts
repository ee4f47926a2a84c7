import type { ErrorKind } from "../errors.ts";

export interface Receipt {
  readonly success: true;
  readonly messageId: string;
  readonly segments?: number;
  readonly totalCredits?: number;
  readonly totalCostKes?: number;
  readonly newBalance?: number;
  readonly status?: string;
  readonly to: string;
  readonly senderId?: string;
}

export interface Failure {
  /** The ending of a command for this message. */
  readonly kind: ErrorKind;
  /** Never print this unchanged: the service's sentence is not sanitised. */
  readonly error: string;
  readonly errorCode: string;
  readonly httpStatus?: number;
}

export type RetryAdvice =
  | { readonly kind: "never" }
  | { readonly kind: "back-off" }
  | { readonly kind: "after"; readonly ms: number };

export type Outcome =
  | { readonly kind: "accepted"; readonly receipt: Receipt }
  | { readonly kind: "rejected"; readonly failure: Failure; readonly hint?: string }
  | { readonly kind: "unsent"; readonly failure: Failure; readonly retry: RetryAdvice; readonly hint?: string }
  | { readonly kind: "uncertain"; readonly failure: Failure };

/** A binary sum of decimals has rounding errors. */
export function rounded(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
