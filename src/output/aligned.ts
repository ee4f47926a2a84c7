import { paragraph } from "./paragraph.ts";
import type { Page } from "./presenter.ts";

/**
 * Returns labels and values in two columns, one pair a line; further lines of a value are indented, those that a terminal
 * needs too.
 */
export function alignedLines(
  { paint, isTerminal, columns }: Pick<Page, "paint" | "isTerminal" | "columns">,
  lines: readonly (readonly [string, string])[],
): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  const margin = width + 4;
  const indent = `\n${" ".repeat(margin)}`;
  return lines
    .map(([label, value]) => {
      const text = isTerminal ? paragraph(value, columns, margin, margin) : value.replaceAll("\n", indent);
      return `  ${paint.faint(label.padEnd(width))}  ${text}\n`;
    })
    .join("");
}
