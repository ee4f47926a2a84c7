import { modeOf } from "../service/credentials.ts";
import { SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { credentialVariables } from "../profiles/environment.ts";
import { type ChosenProfile, chooseProfile, type Found, locate } from "../profiles/resolve.ts";
import { isSandboxAt } from "../sending/destination.ts";

/** A variable of the shell comes before the stored profile. */
export function overridingVariables({ name }: Pick<ChosenProfile, "name">, { environment }: Host): string | undefined {
  const named = environment["SMS_PROFILE"]?.trim() ?? name;
  const isSet = (variable: string) => Boolean(environment[variable]?.trim());
  const set = [...(named === name ? [] : ["SMS_PROFILE"]), ...credentialVariables.filter(isSet)];
  return set.length === 0 ? undefined : set.join(" and ");
}

export async function nextSendNotice(chosen: Pick<ChosenProfile, "name">, host: Host): Promise<readonly string[]> {
  const overriding = overridingVariables(chosen, host);
  const notice = overriding === undefined ? [] : [`${overriding} overrides profile ${chosen.name} in this shell.`];
  try {
    const found = await locate(host, chooseProfile(host, host.environment["SMS_PROFILE"]?.trim() ?? chosen.name));
    const service = found.otherService === undefined ? [] : [`A send goes to ${found.otherService}.`];
    return [...notice, ...service, await chargeText(found)];
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return [...notice, `A send fails now: ${error.message}.`];
  }
}

export function liveText(profile: string): string {
  return `Profile ${profile} turned from test to live.`;
}

async function chargeText(found: Found): Promise<string> {
  const { credentials, address } = found;
  if (credentials === undefined) return "Its key command says whether a send is charged.";
  if (modeOf(credentials) === "test") return "A send is not charged now: the key is a test key.";
  if (await isSandboxAt(address)) return "A send is not charged now: a sandbox answers there.";
  return "A send now reaches real phones and costs money.";
}
