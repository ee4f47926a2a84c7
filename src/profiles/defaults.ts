import { rotationWarning } from "../key.ts";
import { readCountry, type Country } from "../message/number.ts";
import { readSender, type Sender } from "../message/sender.ts";
import { profileOption } from "../words/shell-word.ts";
import { variable } from "./variable.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Presenter } from "../terminal/presenter.ts";
import { profileInUse, type ProfileInUse } from "./resolve.ts";
import type { Defaults, Profile } from "./stored.ts";

export function warnOfRotation(
  { name, ageDays, profile }: { readonly name: string; readonly ageDays: number; readonly profile: string | undefined },
  presenter: Presenter,
): void {
  const warning = rotationWarning(name, ageDays, profile);
  if (warning !== undefined) presenter.warn(warning);
}

export interface SendDefaults extends Pick<Defaults, "sender" | "country"> {
  readonly countrySource?: string;
}

export function sendDefaults(environment: Host["environment"], { defaults }: Profile): SendDefaults {
  const sender = variable(environment, "SMS_SENDER") ?? defaults.sender;
  const ofEnvironment = variable(environment, "SMS_COUNTRY");
  const countrySource = ofEnvironment === undefined ? "the profile" : "SMS_COUNTRY";
  const country = ofEnvironment ?? defaults.country;
  return { sender, country, countrySource };
}

/** Nobody pays for a sandbox. */
export function profilesOf(options: { readonly profile?: string; readonly sandbox?: boolean }, host: Host) {
  const profile = profileInUse(host, options.profile);
  return { profile, payingProfile: options.sandbox ? undefined : profile };
}

export function countryOf(flag: string | undefined, { country, countrySource }: SendDefaults): Country | undefined {
  if (flag !== undefined) return readCountry(flag);
  return country === undefined ? undefined : readCountry(country, countrySource);
}

interface SharedOptions {
  readonly sender?: Sender;
  readonly country?: string;
  readonly gsm7?: true;
  readonly segments?: number;
}

export async function readShared({ sender, country, gsm7, segments }: SharedOptions, defaults: SendDefaults) {
  const named = sender ?? (defaults.sender === undefined ? undefined : readSender(defaults.sender));
  const request = { shared: { sender: named }, country: countryOf(country, defaults), gsm7: gsm7 === true };
  if (segments === undefined) return request;
  const { cutToSegments } = await import("../message/cut.ts");
  return { ...request, cut: (text: string) => cutToSegments(text, segments) };
}

function zoneOf({ timeZone }: Pick<Host, "timeZone">): string | undefined {
  const name = timeZone();
  // ICU gives this name for a TZ that it does not know, such as an empty one.
  return name === "Etc/Unknown" ? undefined : name;
}

export function zoneHere(host: Pick<Host, "timeZone">): string {
  return zoneOf(host) ?? "UTC";
}

/** Throws a usage error `INVALID_ZONE`, in the name of `source`, if this machine has no zone. */
export function machineZone(host: Host, source: string, profile: ProfileInUse | undefined): string {
  const zone = zoneOf(host);
  if (zone !== undefined) return zone;
  const ofProfile = `sms profiles set zone Africa/Nairobi${profileOption(profile?.name)}`;
  const way = source === "--between" ? '--between "08:00-20:00 Africa/Nairobi"' : ofProfile;
  throw usageError("INVALID_ZONE", `${source}: this machine has no time zone set`, `name one, as with \`${way}\``);
}
