import { type Block, linesOf } from "./lines.ts";
import type { Row, RowBatches } from "./row.ts";

/** Reads a number a line. Blank lines, and lines that begin with `#`, are passed over. */
export async function* readPlain(blocks: AsyncIterable<Block>): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .map(({ line, text }): Row => ({ kind: "row", line, to: text.trim(), fields: {} }))
      .filter(({ to }) => to !== "" && !to.startsWith("#"));
  }
}
