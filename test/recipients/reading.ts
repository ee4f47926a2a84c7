import { type ReadOptions, readRecipients } from "../../src/recipients/read.ts";
import type { Row, RowFault } from "../../src/recipients/row.ts";

/** A source in chunks that end at the given offsets. */
export async function* chunksOf(content: string | Uint8Array, ...cuts: readonly number[]) {
  const bytes = Buffer.from(content);
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}

/** All rows and faults of a source; an export shows the names of its fields. */
export async function read(
  content: string | Uint8Array,
  { name = "list", cuts = [], ...options }: ReadOptions & { name?: string; cuts?: readonly number[] } = {},
): Promise<readonly (Row | RowFault)[]> {
  const rows: (Row | RowFault)[] = [];
  for await (const row of readRecipients({ name, chunks: chunksOf(content, ...cuts) }, options))
    rows.push(row.kind === "row" ? { ...row, names: undefined } : row);
  return rows;
}

/** The line number of each row with its number or fault. */
export async function outline(
  content: string | Uint8Array,
  options: Parameters<typeof read>[1] = {},
): Promise<readonly string[]> {
  const rows = await read(content, options);
  return rows.map((row) => `${row.line} ${row.kind === "row" ? row.to : row.sentence}`);
}
