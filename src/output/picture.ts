import stringWidth from "string-width";
import { encodingOf } from "../core/encoding.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./sanitize.ts";

interface Cell {
  readonly shown: string;
  readonly width: number;
  readonly isNonGsm7: boolean;
  readonly endsLine: boolean;
}

/** Columns. A narrower terminal wraps the lines itself. */
const leastWidth = 20;

/** Draws the numbered segments of a text; marks what forces UCS-2 below, unless that is most of the text. */
export function pictureOf(parts: readonly string[], columns: number, paint: Paint): string {
  const gutter = String(parts.length).length;
  const width = Math.max(leastWidth, columns - gutter - 4);
  const cells = parts.map(cellsOf);
  const all = cells.flat();
  const areMarked = all.filter(({ isNonGsm7 }) => isNonGsm7).length * 2 <= all.length;
  const line = (number: string, text: string) => `  ${number.padStart(gutter)} ${paint.faint("│")} ${text}\n`;
  return cells
    .map((segment, index) =>
      wrapped(segment, width)
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

/** Splits a text into what a reader sees as one character each, safe to show, with its width on a terminal. */
function cellsOf(text: string): readonly Cell[] {
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return Array.from(graphemes, ({ segment }) => {
    const endsLine = segment === "\n" || segment === "\r\n";
    const shown = endsLine ? "⏎" : seen(segment);
    return { shown, width: stringWidth(shown), isNonGsm7: encodingOf(segment) === "UCS-2", endsLine };
  });
}

/** Returns a character as it is shown: as its code units if it is a control character or has no width. */
export function seen(character: string): string {
  const shown = visible(character);
  if (stringWidth(shown) > 0) return shown;
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function wrapped(cells: readonly Cell[], width: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [[]];
  let left = width;
  let isLineEnded = false;
  for (const cell of cells) {
    if (isLineEnded || cell.width > left) {
      rows.push([]);
      left = width;
    }
    rows.at(-1)?.push(cell);
    left -= cell.width;
    isLineEnded = cell.endsLine;
  }
  return rows;
}
