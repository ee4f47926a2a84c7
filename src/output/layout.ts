import stringWidth from "string-width";
import { encodingOf } from "../message/segments.ts";
import type { Page } from "./presenter.ts";
import { escapeUnit, visible } from "./redact.ts";

/** The least width of wrapped text, in columns: a narrower terminal wraps it itself. */
export const leastWidth = 20;

/** What a reader sees as one character, safe to show. */
interface Cell {
  readonly shown: string;
  /** Columns on a terminal. */
  readonly width: number;
  readonly isNonGsm7: boolean;
  readonly endsLine: boolean;
}

/** Splits a text into cells. Line ends are shown as `⏎`. */
export function cellsOf(text: string): readonly Cell[] {
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return Array.from(graphemes, ({ segment }) => {
    const endsLine = segment === "\n" || segment === "\r\n";
    const shown = endsLine ? "⏎" : shownCharacter(segment);
    return { shown, width: stringWidth(shown), isNonGsm7: encodingOf(segment) === "UCS-2", endsLine };
  });
}

/** Returns a character as it is shown: as its code units if it is a control character or has no width. */
export function shownCharacter(character: string): string {
  const shown = visible(character);
  if (stringWidth(shown) > 0) return shown;
  return character.replace(/[^]/g, escapeUnit);
}

/** Breaks cells into rows of at most `width` columns, between words if possible. A space at a break is dropped. */
export function wrappedCells(cells: readonly Cell[], width: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [[]];
  let left = width;
  const breakRow = () => {
    rows.push([]);
    left = width;
  };
  let isLineEnded = false;
  for (const word of wordsOf(cells)) {
    const needed = word.reduce((sum, cell) => sum + (cell.shown === " " ? 0 : cell.width), 0);
    if (isLineEnded || (needed > left && needed <= width)) breakRow();
    for (const cell of word) {
      if (cell.width > left) {
        if (cell.shown === " " && left === 0) {
          left = -1;
          continue;
        }
        breakRow();
      }
      rows.at(-1)?.push(cell);
      left -= cell.width;
    }
    isLineEnded = word.at(-1)?.endsLine === true;
  }
  return rows;
}

/** Breaks a text into lines of at most `width` columns, as `wrappedCells` does. */
export function wrappedText(text: string, width: number): readonly string[] {
  return wrappedCells(cellsOf(text), width).map((row) =>
    row
      .map(({ shown }) => shown)
      .join("")
      .trimEnd(),
  );
}

/**
 * Returns a sentence as lines that fit a terminal, without the final line end. The first has a margin of `first` columns,
 * the others of `rest`.
 */
export function fitted({ isTerminal, columns }: Page, text: string, first: number, rest = first): string {
  if (!isTerminal) return `${" ".repeat(first)}${text}`;
  const lines = wrappedText(text, Math.max(leastWidth, columns - rest));
  return lines.map((line, index) => `${" ".repeat(index === 0 ? first : rest)}${line}`).join("\n");
}

/** Splits cells after each space and each line end. */
function wordsOf(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const words: Cell[][] = [[]];
  for (const cell of cells) {
    words.at(-1)?.push(cell);
    if (cell.shown === " " || cell.endsLine) words.push([]);
  }
  return words.filter((word) => word.length > 0);
}

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

/** Returns rows in columns as wide as their widest cell. The first row is the heading. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `  ${line(row).trimEnd()}\n`).join("");
}
