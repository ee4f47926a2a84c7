/** A test key is never charged. */
export type AccountMode = "test" | "live" | "account";

export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  readonly senderId: string;
  readonly message: string;
  readonly encoding: "GSM-7" | "UCS-2";
  readonly parts: readonly string[];
  readonly segments: number;
  /** A test key is not charged, and has a price all the same. */
  readonly totalCredits: number;
  readonly totalCostKes: number;
  readonly mode: AccountMode;
  /** The key for display; absent for account credentials. */
  readonly key?: string;
  readonly at: string;
  /** The end of a number such as `000598`, or a fault such as `reset-after`, that broke the answer. */
  readonly fault?: string;
}
