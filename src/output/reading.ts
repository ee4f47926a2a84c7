import { plural } from "./text.ts";

/** Something that is read, and the share of it that was read so far, from 0 to 1, if its size is known. */
export interface Reading {
  readonly name: string;
  readonly share?: () => number;
}

/** Says how many numbers of a list were read as the whole numbers that a spreadsheet wrote with decimals. */
export function decimalsText(count: number): string {
  const numbers = count === 1 ? "1 number ends" : `${plural(count, "number")} end`;
  return `${numbers} in .0, as spreadsheets write them, and ${count === 1 ? "is" : "are"} read without it`;
}

/** Says what is read and how far: by the rows counted so far, and in percent. */
export function readingText({ name, share }: Reading, rows = 0): string {
  const counts = [rows > 0 ? plural(rows, "row") : "", share ? `${Math.floor(100 * share())} %` : ""];
  const known = counts.filter((count) => count !== "").join(", ");
  return known === "" ? `Reading ${name}` : `Reading ${name}: ${known}`;
}
