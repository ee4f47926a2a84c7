import stringWidth from "string-width";
import { Ledger } from "../../src/record/ledger.ts";
import type { RunListing } from "../../src/reports/run.ts";
import { noPaint } from "../../src/terminal/paint.ts";
import type { Page } from "../../src/terminal/context.ts";
import { visible } from "../../src/terminal/text.ts";

export function terminal(columns: number): Page {
  return { isTerminal: true, columns, paint: noPaint, foreign: visible, redact: (text) => text };
}

export function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

export const emptyTally = new Ledger(new Uint8Array(0)).tally();

export function headerOf(
  name: string,
  started: string,
  messages: number,
  mode: RunListing["header"]["binding"]["mode"],
): RunListing["header"] {
  const binding = { baseUrl: "https://sms.example.com", path: "", credentials: "", mode };
  const plan = { messages, segments: messages, digests: { file: "", messages: "", leftOut: "" } };
  return { version: 1, name, started, binding, options: {}, plan };
}
