import stringWidth from "string-width";
import { fitted, leastWidth, wrappedText } from "./cells.ts";
import type { Page } from "./presenter.ts";

/**
 * Returns rows in aligned columns; the first row is the heading. On a terminal that is too narrow, the last column is
 * wrapped, or else each row has its first cell on a line and the others below.
 */
export function listingText(page: Page, rows: readonly (readonly string[])[]): string {
  const { isTerminal, columns } = page;
  const [heading = [], ...entries] = rows;
  const widths = heading.map((_, column) =>
    rows.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? "")), 0),
  );
  const last = widths.at(-1) ?? 0;
  const others = widths.slice(0, -1);
  const left = columns - others.reduce((sum, width) => sum + width + 2, 2);
  if (!isTerminal || last <= left) return rows.map((row) => rowText(row, others, last)).join("");
  if (left >= leastWidth) return rows.map((row) => rowText(row, others, left)).join("");
  return entries.map((row) => entryText(row, heading, page)).join("");
}

function rowText(row: readonly string[], widths: readonly number[], last: number): string {
  const cells = widths.map((width, column) => padded(row[column] ?? "", width));
  const text = row.at(-1) ?? "";
  const [first = "", ...more] = stringWidth(text) <= last ? [text] : wrappedText(text, last);
  const indent = widths.reduce((sum, width) => sum + width + 2, 2);
  const lines = [`  ${[...cells, first].join("  ")}`, ...more.map((line) => `${" ".repeat(indent)}${line}`)];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - stringWidth(text));
}

function entryText([name = "", ...cells]: readonly string[], [, ...labels]: readonly string[], page: Page): string {
  const named = cells.flatMap((cell, index) => (cell === "" ? [] : [`${labels[index]?.toLowerCase()} ${cell}`.trim()]));
  return `${fitted(page, name, 2)}\n${fitted(page, named.join(", "), 4)}\n`;
}
