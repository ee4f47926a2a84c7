import { isNumberHeader } from "../columns.ts";
import { type Block, linesOf } from "./lines.ts";
import type { TableRecord } from "../table.ts";

/** How a program draws a table for people: psql and Markdown with bars, mysql in a frame of bars, kubectl with spaces. */
export type Drawing = "bars" | "frame" | "spaces";

const bar = /[|\u2502]/;

/** A line of a drawing, of which `--` alone may be somebody's cell. */
const rule = /^[\s|+:=\u2500-\u257F-]*[-=\u2500-\u257F]{3}[\s|+:=\u2500-\u257F-]*$/u;

/** What psql and mysql write below a table. */
const footer = /^\(\d+ \p{L}+\)$|^\d+ rows? in set\b/u;

export function isFooter(text: string): boolean {
  return footer.test(text.trim());
}

/** Returns how the first lines of a list are drawn; undefined for any other text. */
export function drawingOf(lines: readonly string[]): Drawing | undefined {
  const rows = lines.filter(isRow);
  const [header = ""] = rows;
  if (bar.test(header)) {
    if (!lines.some((line) => rule.test(line))) return undefined;
    return bar.test(header.trim().charAt(0)) ? "frame" : "bars";
  }
  const names = cellsOf(header, "spaces");
  if (names.length < 2 || /[,;\t]/.test(header) || !names.some(isNumberHeader)) return undefined;
  const alike = rows.filter((line) => cellsOf(line, "spaces").length === names.length);
  return alike.length * 2 > rows.length ? "spaces" : undefined;
}

/** Reads a drawn table, in which no cell is quoted. */
export async function* readDrawn(
  blocks: AsyncIterable<Block>,
  drawing: Drawing,
): AsyncGenerator<readonly TableRecord[]> {
  for await (const block of blocks) {
    yield linesOf(block)
      .filter(({ text }) => isRow(text))
      .map(({ line, text }) => ({ line, cells: cellsOf(text, drawing) }));
  }
}

function isRow(line: string): boolean {
  return !rule.test(line) && !isFooter(line);
}

function cellsOf(line: string, drawing: Drawing): readonly string[] {
  if (drawing === "spaces") return line.trim().split(/\s{2,}/);
  const cells = line.split(bar).map((cell) => cell.trim());
  return drawing === "frame" ? cells.slice(1, -1) : cells;
}
