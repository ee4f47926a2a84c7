import { type Country, countInFront } from "../message/number.ts";
import { numberAmongWords, plainDigits } from "../message/number-fault.ts";
import { withoutZeroWidth } from "../message/text.ts";
import { type Block, readPlain } from "./formats/lines.ts";
import { areKinds, nameIn, saysNo } from "./number-words.ts";
import type { Row, RowBatches, RowFault } from "./row.ts";

/** Copied contacts have characters without a width. */
export function bareNumber(text: string): string {
  return withoutZeroWidth(text)
    .trim()
    .replace(/^(?:'+|(?:\w+\.)?tel(?:;[^:]*)?:)\s*/i, "");
}

/** The only number of a cell or a line, and the words beside that number. Undefined if one of them says no. */
export function numberBeside(text: string, country: Country | undefined): ReturnType<typeof numberAmongWords> {
  return saysNo(text) ? undefined : numberAmongWords(plainDigits(bareNumber(text)), country);
}

/** The words beside the only number of a line are its name. */
export async function* readPastes(blocks: AsyncIterable<Block>, country: Country | undefined): RowBatches {
  for await (const rows of readPlain(blocks)) yield rows.map((row) => withName(row, country));
}

/** The name is empty if the words say only of what kind the number is. */
function withName(row: Row | RowFault, country: Country | undefined): Row | RowFault {
  if (row.kind === "fault") return row;
  const isPaste = /\p{L}/u.test(row.to) || countInFront.test(row.to);
  const beside = isPaste ? numberBeside(row.to, country) : undefined;
  if (beside === undefined) return row;
  const { number: to, words: all } = beside;
  // A chat has day and time, then who wrote: the words behind the colon are no name.
  const words = /^[^\p{L}]*,[^\p{L}]*,/u.test(all) ? all.replace(/:.*/s, "") : all;
  return { ...row, to, fields: { to, name: areKinds(words) ? "" : nameIn(words) }, cells: [row.to] };
}
