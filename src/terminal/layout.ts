import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Page, View } from "./context.ts";
import { escapeUnit, visible } from "./text.ts";

/** A narrower terminal wraps text itself. */
const leastWidth = 20;

const leastCell = 10;

type Width = Pick<Page, "isTerminal" | "columns">;

export function wrapped(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((line) =>
    wrapAnsi(line, Math.max(leastWidth, width), { hard: true, trim: false })
      .split("\n")
      .map((row, index) => (index === 0 ? row : row.replace(/^ /, "")).trimEnd()),
  );
}

export function shownText(text: string): string {
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return Array.from(graphemes, ({ segment }) => shownCharacter(segment)).join("");
}

export function shownCharacter(character: string): string {
  if (character === "\n" || character === "\r\n") return "⏎\n";
  const text = visible(character);
  return stringWidth(text) > 0 ? text : character.replace(/[^]/g, escapeUnit);
}

export function fitted(
  { isTerminal, columns }: Width,
  text: string,
  margin: number | readonly [first: number, rest: number],
): string {
  const [first, rest] = typeof margin === "number" ? [margin, margin] : margin;
  const lines = isTerminal ? wrapped(text, columns - rest) : [text];
  return lines.map((line, index) => `${" ".repeat(index === 0 ? first : rest)}${line}`).join("\n");
}

/** As `listingText`, without empty columns, and with a last column of the details that fit whole. */
export function detailedText(page: Width, heading: readonly string[], entries: readonly DetailedRow[]): string {
  const hasText = heading.map((_, column) => entries.some(({ cells }) => (cells[column] ?? "") !== ""));
  const withText = (cells: readonly string[]) => cells.filter((_, column) => hasText[column]);
  const [names, ...rows] = [withText(heading.slice(0, -1)), ...entries.map(({ cells }) => withText(cells))] as const;
  const widths = widthsOf([names, ...rows]);
  const room = page.isTerminal ? page.columns - widths.reduce((sum, width) => sum + width + 2, 2) : Infinity;
  const isNarrow = room < leastCell;
  const details = entries.map((entry) => wholeText(entry, isNarrow ? Infinity : room));
  const last = details.some((text) => text) ? (heading.at(-1) ?? "") : "";
  const table = [[...names, last], ...rows.map((row, index) => [...row, details[index] ?? ""])];
  if (isNarrow || rows.length === 0) return listingText(page, table);
  const below = entries.map(({ why = "", details: more }, index) =>
    details[index] === undefined ? `${fitted(page, [why, ...more].join(", "), 4)}\n` : "",
  );
  return table.map((row, index) => rowText(row, widths, room) + (below[index - 1] ?? "")).join("");
}

export interface DetailedRow {
  readonly cells: readonly string[];
  /** If it does not fit whole, all details have a line below. */
  readonly why?: string | undefined;
  /** The most important comes first. */
  readonly details: readonly string[];
}

function wholeText({ why = "", details }: DetailedRow, width: number): string | undefined {
  if (stringWidth(why) > width) return undefined;
  return details.reduce((text, detail) => {
    const longer = text === "" ? detail : `${text}, ${detail}`;
    return stringWidth(longer) <= width ? longer : text;
  }, why);
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const [heading = []] = rows;
  return heading.map((_, column) => rows.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? "")), 0));
}

/** A heading without rows is no text. If a terminal is too narrow, the last column is wrapped, or each row becomes lines. */
export function listingText(page: Width, rows: readonly (readonly string[])[]): string {
  const { isTerminal, columns } = page;
  const [heading = [], ...entries] = rows;
  if (entries.length === 0) return "";
  const widths = widthsOf(rows);
  const last = widths.at(-1) ?? 0;
  const others = widths.slice(0, -1);
  const room = columns - others.reduce((sum, width) => sum + width + 2, 2);
  if (!isTerminal || last <= room) return rows.map((row) => rowText(row, others, last)).join("");
  if (room >= leastWidth) return rows.map((row) => rowText(row, others, room)).join("");
  return entries.map((row) => entryText(row, heading, page)).join("");
}

function rowText(row: readonly string[], widths: readonly number[], last: number): string {
  const cells = widths.map((width, column) => padded(row[column] ?? "", width));
  const text = row.at(-1) ?? "";
  const [first = "", ...more] = stringWidth(text) <= last ? [text] : wrapped(text, last);
  const indent = widths.reduce((sum, width) => sum + width + 2, 2);
  const lines = [`  ${[...cells, first].join("  ")}`, ...more.map((line) => `${" ".repeat(indent)}${line}`)];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - stringWidth(text));
}

function entryText([name = "", ...cells]: readonly string[], [, ...labels]: readonly string[], page: Width): string {
  const parts = cells.flatMap((cell, index) => (cell === "" ? [] : [`${labels[index]?.toLowerCase()} ${cell}`.trim()]));
  return `${fitted(page, name, 2)}\n${fitted(page, parts.join(", "), 4)}\n`;
}

export function doneView(value: unknown, ...lines: readonly string[]): View {
  return {
    json: () => value,
    text: (page) => lines.map((line) => `${fitted(page, visible(line), 0)}\n`).join(""),
  };
}

export function plainView(text: string): View {
  return { json: () => text, quiet: () => text.replace(/\n$/, "").split("\n"), text: () => text };
}
