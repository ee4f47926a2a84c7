import { csvRecord } from "../message/csv.ts";
import type { SandboxMessage } from "./history.ts";
import { e164 } from "./send-request.ts";

const iso8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** A filter for `to`, `sender` and `since` (from that time on, or after that message ID), or what is wrong. */
export function readMessageFilter(
  query: URLSearchParams,
  messages: readonly SandboxMessage[],
): ((message: SandboxMessage, index: number) => boolean) | string {
  for (const name of new Set(query.keys())) {
    if (name !== "to" && name !== "sender" && name !== "since") {
      return `${name} is unknown; use to, sender or since`;
    }
    if (query.getAll(name).length > 1) return `${name} is given twice`;
  }
  // An unescaped plus in a query arrives as a space.
  const to = query.get("to")?.replace(/^ /, "+");
  if (to !== undefined && !e164.test(to)) return "to must be a number in E.164 format";
  const sender = query.get("sender") ?? undefined;
  const isSince = sinceOf(query.get("since") ?? undefined, messages);
  if (typeof isSince === "string") return isSince;
  return (message, index) =>
    (to === undefined || message.to === to) &&
    (sender === undefined || message.senderId === sender) &&
    isSince(message, index);
}

function sinceOf(since: string | undefined, messages: readonly SandboxMessage[]) {
  if (since === undefined) return () => true;
  const place = messages.findIndex(({ messageId }) => messageId === since);
  if (place !== -1) return (_: SandboxMessage, index: number) => index > place;
  // The plus of a time zone, as above.
  const time = iso8601.test(since.replace(" ", "+")) ? Date.parse(since.replace(" ", "+")) : NaN;
  if (Number.isNaN(time)) return "since must be an ISO 8601 time or the id of a message in the sandbox";
  return ({ at }: SandboxMessage) => Date.parse(at) >= time;
}

const columns = [
  "at",
  "to",
  "senderId",
  "mode",
  "key",
  "message",
  "encoding",
  "segments",
  "totalCredits",
  "totalCostKes",
  "messageId",
  "fault",
] as const;

/** The messages as CSV (RFC 4180) that is safe to open in a spreadsheet. */
export function messagesCsv(messages: readonly SandboxMessage[]): string {
  const rows = messages.map((message) => csvRecord(columns.map((column) => message[column])));
  return [columns.join(","), ...rows].map((row) => `${row}\r\n`).join("");
}
