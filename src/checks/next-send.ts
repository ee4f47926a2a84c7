import { modeOf } from "../service/credentials.ts";
import { SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { credentialVariables } from "../profiles/environment.ts";
import { type ChosenProfile, chooseProfile, type Found, locate } from "../profiles/resolve.ts";
import { isSandboxAt } from "../sending/destination.ts";

/**
 * Says what the next send uses if it is not this profile as it is stored, because a variable of the shell overrides it, and
 * whether that send is charged.
 */
export async function nextSendNotice({ name }: Pick<ChosenProfile, "name">, host: Host): Promise<readonly string[]> {
  const { environment } = host;
  const named = environment["SMS_PROFILE"]?.trim() ?? name;
  const set: readonly string[] = credentialVariables.filter((each) => environment[each]?.trim());
  const overriding = [...(named === name ? [] : ["SMS_PROFILE"]), ...set].join(" and ");
  const notice = overriding === "" ? [] : [`${overriding} overrides that in this shell.`];
  try {
    const found = await locate(host, chooseProfile(host, named));
    const service = found.otherService === undefined ? [] : [`A send goes to ${found.otherService}.`];
    return [...notice, ...service, await chargeText(found)];
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return [...notice, `A send fails now: ${error.message}.`];
  }
}

async function chargeText(found: Found): Promise<string> {
  const { credentials, address } = found;
  if (credentials === undefined) return "Its key command says whether a send is charged.";
  if (modeOf(credentials) === "test") return "A send is not charged now: the key is a test key.";
  if (await isSandboxAt(address)) return "A send is not charged now: a sandbox answers there.";
  return "A send now reaches real phones and costs money.";
}
