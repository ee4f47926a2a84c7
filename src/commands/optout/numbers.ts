import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { type FindCountry, readRecipient, refusal } from "../../recipients/check.ts";
import { explained } from "../../recipients/faults.ts";
import { countryOf, sendDefaults } from "../shared/defaults.ts";

/** Returns the country of numbers without +: that of the flag, the environment or the profile in use. */
export function countryFor(flag: string | undefined, host: Host): FindCountry {
  const { profile } = chooseProfile(loadStore(host), host.environment, undefined);
  return countryOf(flag, sendDefaults(host.environment, profile));
}

/** Returns numbers in E.164, each once. Throws a usage error for the first that cannot be read. */
export async function readNumbers(
  texts: readonly string[],
  countryFlag: string | undefined,
  host: Host,
): Promise<readonly string[]> {
  const country = countryFor(countryFlag, host);
  const numbers = new Set<string>();
  for (const to of texts) {
    const row = { kind: "row", line: 1, to, isTyped: true, fields: {} } as const;
    const number = readRecipient(row, country);
    if (number.kind === "refused") {
      const fault = await explained(refusal(row, number, country));
      throw usageError("INVALID_NUMBER", fault.reason, fault.hint);
    }
    numbers.add(number.e164);
  }
  return [...numbers];
}
