import { numberKey } from "../core/number-key.ts";
import { NumberSet } from "../core/number-set.ts";
import { type FindCountry, readRecipient, refusal } from "./check.ts";
import { Faults } from "./faults.ts";
import { readRecipients } from "./read.ts";
import type { Source } from "./row.ts";

/** Reads the numbers of a list in any format of recipients. Throws if one cannot be read: the list would not be what it says. */
export async function readNumberList(
  source: Source,
  country: FindCountry | undefined,
  mayBeEmpty: boolean,
): Promise<NumberSet> {
  const faults = new Faults();
  const numbers = new NumberSet();
  for await (const row of readRecipients(source, { mayBeEmpty })) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readRecipient(row.to, country);
    if (number.kind === "refused") faults.add(refusal(row, number, country));
    else numbers.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw await faults.toUsageError(source.name);
  return numbers;
}
