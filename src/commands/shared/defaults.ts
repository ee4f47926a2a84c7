import { readCountry } from "../../core/number.ts";
import type { Host } from "../../host.ts";
import type { Defaults, Profile } from "../../profiles/stored.ts";
import type { FindCountry } from "../../recipients/check.ts";

/** Returns the defaults of the environment, and those of the profile if the environment has none. */
export function sendDefaults(environment: Host["environment"], profile: Profile | undefined): Defaults {
  const sender = environment["SMS_SENDER"] || profile?.defaults.sender;
  const country = environment["SMS_COUNTRY"] || profile?.defaults.country;
  return { ...(sender !== undefined && { sender }), ...(country !== undefined && { country }) };
}

/** Returns the country of numbers without +. Checks that of the flag now, but a default only when a number needs it. */
export function countryOf(flag: string | undefined, defaults: Defaults): FindCountry {
  const named = flag === undefined ? undefined : readCountry(flag);
  return () => named ?? (defaults.country === undefined ? undefined : readCountry(defaults.country));
}
