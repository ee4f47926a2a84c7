import { modeOf } from "../service/credentials.ts";
import { SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { credentialVariables } from "../profiles/environment.ts";
import { profileInUse, type Located, locate } from "../profiles/resolve.ts";
import { isSandboxAt } from "../sending/destination.ts";

/** A variable of the shell comes before the stored profile. */
export function overridingVariables(name: string, { environment }: Host): string | undefined {
  const nameHere = environment["SMS_PROFILE"]?.trim() ?? name;
  const isSet = (variable: string) => Boolean(environment[variable]?.trim());
  const set = [...(nameHere === name ? [] : ["SMS_PROFILE"]), ...credentialVariables.filter(isSet)];
  return set.length === 0 ? undefined : set.join(" and ");
}

export async function nextSendNotice(name: string, host: Host): Promise<readonly string[]> {
  const overriding = overridingVariables(name, host);
  const notice = overriding === undefined ? [] : [`${overriding} overrides profile ${name} in this shell.`];
  try {
    const service = await locate(host, profileInUse(host, host.environment["SMS_PROFILE"]?.trim() ?? name));
    const { otherService } = service;
    const elsewhere = otherService === undefined ? [] : [`A send goes to ${otherService}.`];
    return [...notice, ...elsewhere, await chargeText(service)];
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return [...notice, `A send fails now: ${error.message}.`];
  }
}

export function liveText(profile: string): string {
  return `Profile ${profile} turned from test to live.`;
}

async function chargeText({ credentials, address }: Located): Promise<string> {
  if (credentials === undefined) return "Its key command says whether a send is charged.";
  if (modeOf(credentials) === "test") return "A send is not charged now: the key is a test key.";
  if (await isSandboxAt(address)) return "A send is not charged now: a sandbox answers there.";
  return "A send now reaches real phones and costs money.";
}
