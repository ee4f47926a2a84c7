import { ageInDays } from "../../core/key.ts";
import { SmsError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { KnownPrice } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, loadStore, locate, type Resolved } from "../../profiles/resolve.ts";
import { payerId, readState } from "../../profiles/state.ts";

/** Returns the price that an earlier answer gave for these credentials; undefined if none did. */
export function priceOf(
  { address, credentials }: Pick<Resolved, "address" | "credentials">,
  host: Host,
): KnownPrice | undefined {
  const { price } = readState(stateFolder(host), payerId(address, credentials));
  return price && { kesPerCredit: price.kesPerCredit, ageDays: ageInDays(price.at, host.now()) };
}

/**
 * Returns the price for what the next send would use; undefined without credentials. Throws for a named profile that does
 * not exist.
 */
export async function currentPrice(host: Host, profile: string | undefined): Promise<KnownPrice | undefined> {
  const isNamed = profile !== undefined || Boolean(host.environment["SMS_PROFILE"]);
  try {
    const chosen = chooseProfile(loadStore(host), host.environment, profile);
    const { address, credentials } = await locate(host, chosen);
    // A preview runs no key command.
    return credentials && priceOf({ address, credentials }, host);
  } catch (error) {
    const matters = ["INTERRUPTED", ...(isNamed ? ["UNKNOWN_PROFILE"] : [])];
    if (error instanceof SmsError && !matters.includes(error.errorCode)) return undefined;
    throw error;
  }
}
