import { stringify } from "csv-stringify/sync";
import { harmless } from "../../terminal/text.ts";
import { guarded } from "./spreadsheet.ts";

/** A record of CSV (RFC 4180) must be safe to open in a spreadsheet, and to show in a terminal. */
export function csvRecord(cells: readonly (string | number | undefined)[]): string {
  return stringify([cells.map(safe)], { quoted: true, quoted_empty: true, eof: false });
}

function safe(value: string | number | undefined): string {
  const text = harmless(String(value ?? ""));
  return typeof value === "number" || /^\+\d{6,15}$/.test(text) ? text : guarded(text);
}
