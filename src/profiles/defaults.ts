import { rotationCommand } from "../key.ts";
import { readCountry, type Country } from "../message/number.ts";
import { readSender, type Sender } from "../message/sender.ts";
import { profileOption } from "../words/shell-word.ts";
import { variable } from "./environment.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Presenter } from "../terminal/context.ts";
import { profileInUse, type ProfileInUse } from "./resolve.ts";
import type { Profile } from "./stored.ts";

const rotationDue = 90;

const reminderFrom = 76;

export function warnOfRotation(
  name: string,
  ageDays: number,
  profile: string | undefined,
  { warn }: Pick<Presenter, "warn">,
): void {
  if (ageDays < reminderFrom) return;
  const due = ageDays < rotationDue ? `due in ${rotationDue - ageDays} days` : "due";
  const age = `key ${JSON.stringify(name)} is ${ageDays} days old; rotation at ${rotationDue} days is ${due}`;
  warn(`${age}: ${rotationCommand(name, profile)}`);
}

export function sendDefaults(environment: Host["environment"], { defaults }: Profile) {
  const sender = variable(environment, "SMS_SENDER") ?? defaults.sender;
  const country = variable(environment, "SMS_COUNTRY") ?? defaults.country;
  return { sender, country };
}

/** Nobody pays for a sandbox. */
export function profilesOf(options: { readonly profile?: string; readonly sandbox?: boolean }, host: Host) {
  const profile = profileInUse(host, options.profile);
  return { profile, payingProfile: options.sandbox ? undefined : profile };
}

export function countryOf(
  option: string | undefined,
  environment: Host["environment"],
  profile: Profile,
): Country | undefined {
  const { country } = sendDefaults(environment, profile);
  if (option !== undefined) return readCountry(option);
  const source = environment["SMS_COUNTRY"] === undefined ? "the profile" : "SMS_COUNTRY";
  return country === undefined ? undefined : readCountry(country, source);
}

/** The option, the environment or the profile gives the country of numbers without +. */
export function countryFor(
  { country, profile }: { readonly country?: string; readonly profile?: string },
  host: Host,
): Country | undefined {
  return countryOf(country, host.environment, profileInUse(host, profile));
}

interface SharedOptions {
  readonly sender?: Sender;
  readonly country?: string;
  readonly gsm7?: true;
  readonly segments?: number;
}

export async function readShared(options: SharedOptions, environment: Host["environment"], profile: Profile) {
  const { segments } = options;
  const usual = sendDefaults(environment, profile).sender;
  const sender = options.sender ?? (usual === undefined ? undefined : readSender(usual));
  const country = countryOf(options.country, environment, profile);
  const cut = segments === undefined ? undefined : (await import("../message/cut.ts")).cutterTo(segments);
  return { usual: { sender }, country, gsm7: options.gsm7 === true, cut };
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
