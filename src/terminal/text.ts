import { countText, plural, withSeparators } from "../words/count.ts";
import type { Paint } from "./paint.ts";
import { isLive, type Mode } from "../service/credentials.ts";
import type { ErrorKind, OutcomeKind } from "../errors.ts";

export const failureHeading = {
  accepted: "Sent, but",
  rejected: "Rejected",
  unsent: "Not sent",
  uncertain: "Uncertain",
  pending: "Not sent",
} as const satisfies Record<OutcomeKind, string>;

export const topUp = "top up the account";

export function sendHint(kind: ErrorKind, credentialsFrom: string, baseUrlFrom: string): string | undefined {
  switch (kind) {
    case "refused":
      return "check the recipient, the text and the sender; `sms send --dry-run` shows what would be sent";
    case "unauthorized":
      return `the credentials came from ${credentialsFrom}: check them in the dashboard (Settings, API Keys); the key may be revoked or limited to other IP addresses`;
    case "no-credits":
      return `${topUp}, then send again`;
    case "forbidden":
      return "name an approved sender with --sender, or check in the dashboard (Settings, API Keys) whether the key is limited to other IP addresses";
    case "rate-limited":
      return "wait a minute, then send again; --timeout and --retries set how long sms itself waits";
    case "unreachable":
      return `check the network, the proxy and the base URL, which came from ${baseUrlFrom}; \`sms send --verbose\` shows the connection`;
    case "not-the-service":
      return `check the base URL, which came from ${baseUrlFrom}`;
    default:
      return undefined;
  }
}

export interface Payment {
  readonly mode: Mode;
  readonly isSandbox: boolean;
}

/** What a test key sends, or a sandbox takes, is on no phone, and nobody pays for it. */
export function reachesPhone({ mode, isSandbox }: Payment): boolean {
  return isLive(mode) && !isSandbox;
}

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

export interface KnownPrice {
  readonly kesPerCredit: number;
  readonly ageDays: number;
}

export function estimateText(credits: number, price: KnownPrice | undefined): string {
  if (price === undefined) return costText(credits, price);
  const age = price.ageDays === 0 ? "today's price" : `the price of ${plural(price.ageDays, "day")} ago`;
  return `${costText(credits, price)} at ${age}`;
}

export function costText(credits: number, price: KnownPrice | undefined): string {
  const cost = plural(credits, "credit");
  return price === undefined ? cost : `${cost}, ${kes(credits * price.kesPerCredit)}`;
}

export function kes(amount: number): string {
  return `KES ${withSeparators(amount.toFixed(2))}`;
}

export function balanceText(credits: number, least = 0): string {
  const low = credits < least ? `, less than low-balance ${countText(least)}` : "";
  return plural(credits, "credit") + low;
}

export function decimalsText(count: number): string {
  const numbers = count === 1 ? "1 number ends" : `${plural(count, "number")} end`;
  return `${numbers} in .0, as spreadsheets write them, and ${count === 1 ? "is" : "are"} read without it`;
}

/** A command in backticks stays whole, so that a person can copy the command. */
export function paragraph(
  text: string,
  { columns, column, indent }: { readonly columns: number; readonly column: number; readonly indent: number },
): string {
  const lines: string[] = [];
  let line = "";
  let room = columns - column;
  for (const [word] of text.matchAll(/(?:`[^`]*`|[^ ])+ *| +/g)) {
    if (line !== "" && line.length + word.trimEnd().length > room) {
      lines.push(line.trimEnd());
      line = "";
      room = columns - indent;
    }
    line += word;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

/** A label without a text is left out. */
export function alignedLines(
  { paint, isTerminal, columns }: { readonly paint: Paint; readonly isTerminal: boolean; readonly columns: number },
  all: readonly (readonly [string, string])[],
): string {
  const lines = all.filter(([, value]) => value !== "");
  const width = Math.max(...lines.map(([label]) => label.length));
  const margin = width + 4;
  const indent = `\n${" ".repeat(margin)}`;
  return lines
    .map(([label, value]) => {
      const text = isTerminal
        ? paragraph(value, { columns, column: margin, indent: margin })
        : value.replaceAll("\n", indent);
      return `  ${paint.faint(label.padEnd(width))}  ${text}\n`;
    })
    .join("");
}

export function actorText({ user, machine }: { readonly user?: string | undefined; readonly machine: string }): string {
  return visible(user === undefined ? machine : `${user} on ${machine}`);
}

/** These control a terminal or disguise text: controls, separators, and the bidirectional ones of Unicode UAX #9. */
const hazards = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/g;

export function visible(text: string): string {
  return text.toWellFormed().replace(hazards, escapeUnit);
}

/** U+200E, U+200F and U+061C, which have no nesting, belong to texts in Hebrew and Arabic. */
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** A file or a pipe may end in a terminal, and its texts in messages, so what drives a terminal is dropped. */
export function harmless(text: string): string {
  return text.replace(controls, "");
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(hazards, escapeUnit)}\n`;
}

export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
