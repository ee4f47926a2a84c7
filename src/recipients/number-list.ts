import { numberKey } from "../message/number-key.ts";
import { NumberSet } from "../message/number-set.ts";
import { type FindCountry, readRecipient, refusal } from "./check.ts";
import { Faults } from "./faults.ts";
import type { Row, RowFault } from "./row.ts";

/** Returns the numbers of the rows of a list. Throws if one cannot be read: the list, of this name, would not be what it says. */
export async function readNumberList(
  name: string,
  rows: AsyncIterable<Row | RowFault> | Iterable<Row>,
  country: FindCountry | undefined,
): Promise<NumberSet> {
  const faults = new Faults();
  const numbers = new NumberSet();
  for await (const row of rows) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readRecipient(row, country);
    if (number.kind === "refused") faults.add(refusal(row, number, country));
    else numbers.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw await faults.toUsageError(name);
  return numbers;
}
