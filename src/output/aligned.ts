import type { Paint } from "./paint.ts";

/** Returns labels and values in two columns, one pair a line. */
export function alignedLines(paint: Paint, lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, value]) => `  ${paint.faint(label.padEnd(width))}  ${value}\n`).join("");
}
