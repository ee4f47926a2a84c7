import { type Country, readNumber } from "../core/number.ts";
import { numberKey, refusal } from "./check.ts";
import { Faults } from "./faults.ts";
import { readRecipients } from "./read.ts";
import type { Source } from "./row.ts";

/**
 * Reads the numbers never to send to, as `numberKey` gives them, in any format that recipients come in. Throws a usage error
 * where any of them cannot be read: whoever opted out there would be texted after all.
 */
export async function readExclusions(source: Source, country?: Country): Promise<ReadonlySet<number>> {
  const faults = new Faults();
  const exclusions = new Set<number>();
  for await (const row of readRecipients(source, { mayBeEmpty: true })) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readNumber(row.to, country);
    if (number.kind === "refused") faults.add(refusal(row, number));
    else exclusions.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw faults.toUsageError(source.name);
  return exclusions;
}
