import { readCountry } from "../../core/number.ts";
import { variable } from "../../core/variable.ts";
import type { Host } from "../../host.ts";
import type { Defaults, Profile } from "../../profiles/stored.ts";
import type { FindCountry } from "../../recipients/check.ts";

/** The defaults of a send, and what the country comes from. */
export interface SendDefaults extends Pick<Defaults, "sender" | "country"> {
  readonly countrySource?: string;
}

/** Returns the defaults of the environment, and those of the profile if the environment has none. */
export function sendDefaults(environment: Host["environment"], profile: Profile | undefined): SendDefaults {
  const sender = variable(environment, "SMS_SENDER") ?? profile?.defaults.sender;
  const given = variable(environment, "SMS_COUNTRY");
  const countrySource = given === undefined ? "the profile" : "SMS_COUNTRY";
  const country = given ?? profile?.defaults.country;
  return { ...(sender !== undefined && { sender }), ...(country !== undefined && { country, countrySource }) };
}

/** Returns the country of numbers without +. Checks that of the flag now, but a default only when a number needs it. */
export function countryOf(flag: string | undefined, { country, countrySource }: SendDefaults): FindCountry {
  const named = flag === undefined ? undefined : readCountry(flag);
  return () => named ?? (country === undefined ? undefined : readCountry(country, countrySource));
}
