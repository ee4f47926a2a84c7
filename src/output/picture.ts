import { cellsOf, leastWidth, wrappedCells } from "./cells.ts";
import type { Page } from "./presenter.ts";

/** Draws the numbered segments of a text; marks what forces UCS-2 below, unless that is most of the text. */
export function pictureOf(parts: readonly string[], { columns, paint }: Page): string {
  const gutter = String(parts.length).length;
  const width = Math.max(leastWidth, columns - gutter - 5);
  const cells = parts.map(cellsOf);
  const all = cells.flat();
  const areMarked = all.filter(({ isNonGsm7 }) => isNonGsm7).length * 2 <= all.length;
  const line = (number: string, text: string) => `  ${number.padStart(gutter)} ${paint.faint("│")} ${text}\n`;
  return cells
    .map((segment, index) =>
      wrappedCells(segment, width)
        .map((row, rowIndex) => {
          const text = row
            .map(({ shown, isNonGsm7 }) => (isNonGsm7 && areMarked ? paint.doubtful(shown) : shown))
            .join("");
          const marks = row
            .map(({ width: cell, isNonGsm7 }) => (isNonGsm7 ? "^" : " ").repeat(cell))
            .join("")
            .trimEnd();
          const shownMarks = areMarked && marks !== "" ? line("", paint.doubtful(marks)) : "";
          return line(rowIndex === 0 ? String(index + 1) : "", text) + shownMarks;
        })
        .join(""),
    )
    .join("");
}
