import type { Paint } from "./paint.ts";

/** Returns labels and values in two columns, one pair a line; further lines of a value are indented. */
export function alignedLines(paint: Paint, lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  const indent = `\n${" ".repeat(width + 4)}`;
  return lines
    .map(([label, value]) => `  ${paint.faint(label.padEnd(width))}  ${value.replaceAll("\n", indent)}\n`)
    .join("");
}
