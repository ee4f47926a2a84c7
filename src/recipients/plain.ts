import { type Block, linesOf } from "./lines.ts";
import type { Row, RowBatches } from "./row.ts";

/** Reads one number per line; skips blank lines and lines that start with `#`. */
export async function* readPlain(blocks: AsyncIterable<Block>): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .map(({ line, text }): Row => ({ kind: "row", line, to: text.trim(), fields: {} }))
      .filter(({ to }) => to !== "" && !to.startsWith("#"));
  }
}
