import { type FindCountry, numberKey, readRecipient, refusal } from "./check.ts";
import { Faults } from "./faults.ts";
import { readRecipients } from "./read.ts";
import type { Source } from "./row.ts";

/** Reads numbers to exclude as `numberKey`s. Throws if one cannot be read: that person would get the message. */
export async function readExclusions(source: Source, country?: FindCountry): Promise<ReadonlySet<number>> {
  const faults = new Faults();
  const exclusions = new Set<number>();
  for await (const row of readRecipients(source, { mayBeEmpty: true })) {
    if (row.kind === "fault") {
      faults.add(row);
      continue;
    }
    const number = readRecipient(row.to, country);
    if (number.kind === "refused") faults.add(refusal(row, number, country));
    else exclusions.add(numberKey(number.e164));
  }
  if (faults.count > 0) throw await faults.toUsageError(source.name);
  return exclusions;
}
