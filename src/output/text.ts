import type { Mode } from "../core/credentials.ts";
import { type ErrorKind, type OutcomeKind } from "../errors.ts";

/** A failure as it is reported, to a person or as JSON. */
export interface FailureReport {
  readonly kind: ErrorKind;
  /** What went wrong; may contain text from the service or from a file. */
  readonly message: string;
  readonly errorCode: string;
  readonly httpStatus?: number | undefined;
  readonly outcome?: OutcomeKind | undefined;
  readonly hint?: string | undefined;
  /** One line for each thing that the message sums up. */
  readonly details?: readonly string[];
  /** Whether it is the outcome of an earlier command with the same key of `--once`. */
  readonly replayed?: boolean;
}

/** The heading of a failure, by outcome. */
export const failureHeading = {
  accepted: "Sent, but",
  rejected: "Rejected",
  unsent: "Not sent",
  uncertain: "Uncertain",
  pending: "Not sent",
} as const satisfies Record<OutcomeKind, string>;

/** One sentence for each outcome: whether the message went out. */
export const outcomeSentence = {
  accepted: "The message was accepted.",
  rejected: "The service refused the message: nothing was sent.",
  unsent: "Nothing was sent.",
  uncertain: "The message may have gone out: it may be on the phone, and it may have been charged.",
  pending: "Nothing was sent.",
} as const satisfies Record<OutcomeKind, string>;

/** Returns the next step after a failed send. `credentialsFrom` and `baseUrlFrom` name where these came from. */
export function sendHint(kind: ErrorKind, credentialsFrom: string, baseUrlFrom: string): string | undefined {
  switch (kind) {
    case "refused":
      return "check the recipient, the text and the sender; `sms send --dry-run` shows what would be sent";
    case "unauthorized":
      return `the credentials came from ${credentialsFrom}: check them in the dashboard (Settings, API Keys); the key may be revoked or limited to other IP addresses`;
    case "no-credits":
      return "top up the account, then send again";
    case "forbidden":
      return "name an approved sender with --sender, or check in the dashboard (Settings, API Keys) whether the key is limited to other IP addresses";
    case "rate-limited":
      return "wait a minute, then send again; --timeout and --retries set how long sms itself waits";
    case "server-error":
    case "no-answer":
      return "find out whether it arrived before you send it again: sms never repeats it by itself";
    case "unreachable":
      return `check the network, the proxy and the base URL, which came from ${baseUrlFrom}; \`sms send --verbose\` shows the connection`;
    case "not-the-service":
      return `check the base URL, which came from ${baseUrlFrom}`;
    case "hung-up":
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

/** The next step after an uncertain message under a key of `--once`. */
export const onceHint =
  "find out whether it arrived: this --once key sends nothing more, and another key sends it again";

/** Where a message goes: what pays for it, and whether a sandbox takes it instead of the service. */
export interface Payment {
  readonly mode: Mode;
  readonly isSandbox: boolean;
}

/** Says what pays for a message, and whether a phone receives it. */
export function modeText({ mode, isSandbox }: Payment): string {
  const simulated = "no phone receives it; a real send would be charged";
  switch (mode) {
    case "test":
      return "test key: no phone receives it";
    case "sandbox":
      return `sandbox: ${simulated}`;
    case "live":
    case "account": {
      const what = mode === "live" ? "live key" : "account credentials";
      return isSandbox ? `${what} in a sandbox: ${simulated}` : `${what}: real phones, charged`;
    }
  }
}

/** Returns the line of a result or plan that names a service which is not the profile's. */
export function serviceLine(service: string | undefined): readonly (readonly [string, string])[] {
  return service === undefined ? [] : [["Service", service]];
}

/** The price of a credit in the last answer that gave one. */
export interface KnownPrice {
  readonly kesPerCredit: number;
  /** Whole days since that answer. */
  readonly ageDays: number;
}

/** Returns an estimate in credits, and in KES with the age of the price if one is known. */
export function estimateText(credits: number, price: KnownPrice | undefined): string {
  if (price === undefined) return costText(credits, price);
  const known = price.ageDays === 0 ? "today's price" : `the price of ${plural(price.ageDays, "day")} ago`;
  return `${costText(credits, price)} at ${known}`;
}

/** Returns an estimate in credits, and in KES if a price is known. */
export function costText(credits: number, price: KnownPrice | undefined): string {
  const cost = plural(credits, "credit");
  return price === undefined ? cost : `${cost}, ${kes(credits * price.kesPerCredit)}`;
}

/** Returns an amount of Kenyan shillings with two decimals, as in `KES 1,234.50`. */
export function kes(amount: number): string {
  return `KES ${withSeparators(amount.toFixed(2))}`;
}

/** Returns a count and its noun, as in `1,234 messages`. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a count with thousands separators, as in `1,234`. */
export function countText(count: number): string {
  return withSeparators(String(count));
}

/** Puts commas between the thousands of a decimal number. */
function withSeparators(decimal: string): string {
  return decimal.replace(/^-?\d+/, (whole) => whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ","));
}
