import { ageInDays } from "../../core/key.ts";
import { SmsError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { KnownPrice } from "../../output/text.ts";
import { chooseProfile, loadStore, type Resolved, resolve } from "../../profiles/resolve.ts";
import { payerId, readState } from "../../profiles/state.ts";
import { stateOf } from "./state.ts";

/** Returns the price that an earlier answer gave for these credentials; undefined if none did. */
export function priceOf(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  host: Host,
): KnownPrice | undefined {
  const { price } = readState(stateOf(host), payerId(address, credentials));
  return price && { kesPerCredit: price.kesPerCredit, ageDays: ageInDays(price.at, host.now()) };
}

/** Returns the price for what the next send would use; undefined without credentials. Throws for a named profile that does not exist. */
export async function currentPrice(host: Host, profile: string | undefined): Promise<KnownPrice | undefined> {
  const isNamed = profile !== undefined || Boolean(host.environment["SMS_PROFILE"]);
  try {
    const chosen = chooseProfile(loadStore(host), host.environment, profile);
    return priceOf(await resolve(host.environment, chosen), host);
  } catch (error) {
    if (error instanceof SmsError && !(isNamed && error.errorCode === "UNKNOWN_PROFILE")) return undefined;
    throw error;
  }
}
