import { plural } from "./text.ts";

/** Something that is read, and the share of it that was read so far, from 0 to 1, if its size is known. */
export interface Reading {
  readonly name: string;
  readonly share?: () => number;
}

/** Says what is read and how far: by the rows counted so far, and in percent. */
export function readingText({ name, share }: Reading, rows = 0): string {
  const counts = [rows > 0 ? plural(rows, "row") : "", share ? `${Math.floor(100 * share())} %` : ""];
  const known = counts.filter((count) => count !== "").join(", ");
  return known === "" ? `Reading ${name}` : `Reading ${name}: ${known}`;
}
