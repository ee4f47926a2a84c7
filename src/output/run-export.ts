import type { RunReport } from "../runs/report.ts";
import type { LongView, Page } from "./presenter.ts";
import { recipientJson } from "./recipient.ts";
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

/** Every recipient of a run, as NDJSON or as CSV (RFC 4180) that is safe to open in a spreadsheet; `--json` is NDJSON. */
export function exportView({ results }: RunReport, format: "csv" | "ndjson"): LongView {
  async function* rows(page: Page) {
    for await (const { message, outcome } of results()) {
      const { type: _, ...row } = { ...recipientJson(message, outcome, page), message: message.text };
      yield row;
    }
  }
  return {
    json: rows,
    text: async function* text(page) {
      if (format === "csv") yield `${columns.join(",")}\n`;
      for await (const row of rows(page)) yield format === "csv" ? csvLine(row) : jsonLine(row);
    },
  };
}

function csvLine(row: Readonly<Partial<Record<string, string | number>>>): string {
  return `${columns.map((column) => csvCell(row[column], column)).join(",")}\n`;
}

/** Quotes text from elsewhere that begins with = + - @, which a spreadsheet would run. Our own column `to` is E.164. */
function csvCell(value: string | number | undefined, column: string): string {
  if (value === undefined) return "";
  const text = String(value);
  const isForeign = typeof value === "string" && column !== "to";
  const safe = isForeign && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  const shown = column === "message" ? safe : visible(safe);
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
