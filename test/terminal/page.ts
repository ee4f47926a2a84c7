import stringWidth from "string-width";
import { noPaint } from "../../src/terminal/paint.ts";
import type { Page } from "../../src/terminal/presenter.ts";
import { visible } from "../../src/terminal/redact.ts";

/** A terminal of that width, without colours and with nothing to redact. */
export function terminal(columns: number): Page {
  return { isTerminal: true, columns, paint: noPaint, foreign: visible, redacted: (text) => text };
}

/** The widest line of a text. Columns. */
export function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}
