import { guarded } from "../core/spreadsheet.ts";
import type { SandboxMessage } from "./account.ts";

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
  const rows = messages.map((message) => columns.map((column) => cell(column, String(message[column] ?? ""))));
  return [columns, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** A number in E.164 is no formula. */
function cell(column: string, text: string): string {
  const isSafe = column === "to" || column === "at";
  return `"${(isSafe ? text : guarded(text)).replaceAll('"', '""')}"`;
}
