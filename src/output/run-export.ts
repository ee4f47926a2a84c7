import type { MessageResult } from "../runs/journal-reader.ts";
import type { Host } from "../host.ts";
import type { Redactor } from "./redact.ts";
import { recipientJson } from "./run-reporter.ts";
import { jsonLine, visible } from "./sanitize.ts";

const columns = [
  "line",
  "to",
  "outcome",
  "messageId",
  "segments",
  "totalCredits",
  "totalCostKes",
  "newBalance",
  "httpStatus",
  "errorCode",
  "error",
  "message",
] as const;

/** Writes every recipient of a run and what became of them, as NDJSON or as CSV (RFC 4180) that a spreadsheet may open. */
export async function exportRun(
  results: AsyncIterable<MessageResult>,
  format: "csv" | "ndjson",
  { stdout }: Host,
  redactor: Redactor,
): Promise<void> {
  if (format === "csv") stdout.write(`${columns.join(",")}\n`);
  for await (const { message, outcome } of results) {
    const { type: _, ...row } = { ...recipientJson(message, outcome, redactor), message: message.text };
    stdout.write(format === "csv" ? csvLine(row) : jsonLine(row));
    await stdout.flush();
    if (stdout.failure() !== undefined) return;
  }
}

function csvLine(row: Readonly<Partial<Record<string, string | number>>>): string {
  return `${columns.map((column) => csvCell(row[column], column)).join(",")}\n`;
}

/** A spreadsheet runs what begins with = + - @, so the text of others is given a quote in front. Our own column is E.164. */
function csvCell(value: string | number | undefined, column: string): string {
  if (value === undefined) return "";
  const text = String(value);
  const isForeign = typeof value === "string" && column !== "to";
  const safe = isForeign && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  const shown = column === "message" ? safe : visible(safe);
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
