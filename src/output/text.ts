import type { Mode } from "../core/credentials.ts";
import type { Receipt } from "../core/outcome.ts";
import { type ErrorKind, type OutcomeKind } from "../errors.ts";

/** What a failed command tells, in either form. */
export interface FailureReport {
  readonly kind: ErrorKind;
  /** What went wrong; may hold text that others wrote. */
  readonly message: string;
  readonly errorCode: string;
  readonly httpStatus?: number | undefined;
  readonly outcome?: OutcomeKind | undefined;
  readonly hint?: string | undefined;
  /** What the message sums up, one thing a line. */
  readonly details?: readonly string[];
}

/** The heading of a failure, by what became of the message. */
export const failureHeading = {
  accepted: "Sent, but",
  rejected: "Rejected",
  unsent: "Not sent",
  uncertain: "Uncertain",
  pending: "Not sent",
} as const satisfies Record<OutcomeKind, string>;

/** Whether the message may be on somebody's phone, in a sentence. */
export const outcomeSentence = {
  accepted: "The message was accepted.",
  rejected: "The service refused the message: nothing was sent.",
  unsent: "Nothing was sent.",
  uncertain: "The message may have gone out: it may be on the phone, and it may have been charged.",
  pending: "Nothing was sent.",
} as const satisfies Record<OutcomeKind, string>;

/** What to do next after a send that failed so. `credentialsFrom` and `baseUrlFrom` say where these came from. */
export function sendHint(kind: ErrorKind, credentialsFrom: string, baseUrlFrom: string): string | undefined {
  switch (kind) {
    case "refused":
      return "check the recipient, the text and the sender; `sms send --dry-run` shows what would be sent";
    case "unauthorized":
      return `the credentials came from ${credentialsFrom}: check them in the dashboard (Settings, API Keys); a key may have been revoked, or be limited to other IP addresses`;
    case "no-credits":
      return "top up the account, then send again";
    case "forbidden":
      return "name an approved sender with --sender, or check in the dashboard (Settings, API Keys) whether the key is limited to other IP addresses";
    case "rate-limited":
      return "wait a minute, then send again; --timeout and --retries say how long sms itself may wait";
    case "server-error":
    case "no-answer":
      return "find out whether it arrived before you send it again: sms never repeats it unasked";
    case "unreachable":
      return `check the network, the proxy and the base URL, which came from ${baseUrlFrom}; \`sms send --verbose\` shows the connection`;
    case "not-the-service":
      return `check the base URL, which came from ${baseUrlFrom}`;
    case "interrupted":
    case "terminated":
    case "fault":
    case "usage":
    case "no-credentials":
    case "incomplete":
    case "limit":
      return undefined;
  }
}

/** What the mode of a send means for the recipient. */
export const modeSentence = {
  test: "test key: no phone receives it",
  live: "live key: real phones, charged",
  account: "account credentials: real phones, charged",
  sandbox: "sandbox: no phone, no charge",
} as const satisfies Record<Mode, string>;

/** A receipt as labelled lines, leaving out what the service left out. */
export function receiptLines(
  receipt: Receipt,
  mode: Mode,
  source: string,
): readonly (readonly [string, string])[] {
  const { segments, totalCredits, totalCostKes, newBalance } = receipt;
  const cost = [
    totalCredits === undefined ? undefined : plural(totalCredits, "credit"),
    totalCostKes === undefined ? undefined : kes(totalCostKes),
  ].filter((part) => part !== undefined);
  return [
    ["Message", receipt.messageId],
    ["Segments", segments === undefined ? "not told" : String(segments)],
    ["Cost", cost.length === 0 ? "not told" : cost.join(", ")],
    ["Balance", newBalance === undefined ? "not told" : `${plural(newBalance, "credit")} left`],
    ["Mode", mode === "sandbox" ? modeSentence[mode] : `${modeSentence[mode]} (from ${source})`],
  ];
}

/** What a credit cost when an answer last told it. */
export interface KnownPrice {
  readonly kesPerCredit: number;
  /** Whole days since. */
  readonly ageDays: number;
}

/** An estimate in credits, and in KES where a price is known, with the age of that knowledge. */
export function estimateText(credits: number, price: KnownPrice | undefined): string {
  if (price === undefined) return plural(credits, "credit");
  const known = price.ageDays === 0 ? "known since today" : `known for ${plural(price.ageDays, "day")}`;
  return `${plural(credits, "credit")}, ${kes(credits * price.kesPerCredit)} at a price ${known}`;
}

/** An amount of Kenyan shillings, with two decimals. */
export function kes(amount: number): string {
  return `KES ${amount.toFixed(2)}`;
}

/** A count and its noun. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
