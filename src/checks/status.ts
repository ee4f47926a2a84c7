import { baseUrlOf } from "../service/address.ts";
import { modeOf } from "../service/credentials.ts";
import { SmsError } from "../errors.ts";
import { credentialVariables, variable } from "../profiles/environment.ts";
import { ageInDays, shownKey } from "../key.ts";
import type { Host } from "../host.ts";
import { sendDefaults } from "../profiles/defaults.ts";
import { credentialsId, payingAccount } from "../profiles/payer.ts";
import { notedOf, placeOfRecord, sharedRecord } from "../profiles/record.ts";
import { type ProfileInUse, credentialsSource, type Located, locate, profileInUse } from "../profiles/resolve.ts";
import { isSandboxAt } from "../sending/destination.ts";

export type Status = Awaited<ReturnType<typeof readStatus>>;

/** Scripts get the `facts`. Throws as `locate`, unless `located` is its result. */
export async function readStatus(profile: ProfileInUse, host: Host, located?: Located) {
  const service = located ?? (await locate(host, profile));
  const { address, path, credentials, keyCommand, sources, warnings } = service;
  const { onlyTo, hours, lowBalance, zone, rate, history } = profile.defaults;
  const { sender, country } = sendDefaults(host.environment, profile);
  const { balance, price } = credentials ? await notedOf(credentialsId(address, credentials), host, profile) : {};
  const mode = credentials === undefined ? null : modeOf(credentials);
  const lists = { SMS_ONLY_TO: variable(host.environment, "SMS_ONLY_TO"), profile: onlyTo };
  const notifyTo = { SMS_NOTIFY_TO: host.environment["SMS_NOTIFY_TO"]?.trim(), profile: profile.defaults.notifyTo };
  const [ofNotify] = Object.entries(notifyTo).flatMap(([source, to]) => (to ? [{ source, to }] : []));
  const allOnlyTo = Object.entries(lists).flatMap(([source, list]) => (list === undefined ? [] : [{ source, list }]));
  const isSandbox = mode !== "test" && (await isSandboxAt(address, host.interruption().stop));
  const { dayOf } = await import("../guards/spending.ts");
  // A key command of the environment runs before the payer is known.
  const day = await dayOf(payingAccount(service, profile), profile, host);
  const shared = sharedRecord(host, profile);
  const facts = {
    profile: profile.name,
    baseUrl: baseUrlOf(address),
    path,
    mode,
    key: keyCommand === undefined ? keyFacts(service, host.now()) : null,
    keyCommand,
    sender: sender ?? null,
    country: country ?? null,
    zone: hours === undefined ? zone : (zone ?? host.timeZone() ?? null),
    rate: rate ?? null,
    history: variable(host.environment, "SMS_HISTORY") ?? history ?? "on",
    sandbox: isSandbox || undefined,
    sources,
    balance: balance ?? null,
    lowBalance,
    dailyCredits: day && { ...day, rule: undefined, endsAt: new Date(day.endsAt).toISOString() },
    kesPerCredit: price?.kesPerCredit ?? null,
    onlyTo: allOnlyTo.length > 0 ? allOnlyTo : undefined,
    hours,
    notifyTo: ofNotify,
    record: shared && { place: await placeOfRecord(shared.url), source: shared.source },
  };
  const email = credentials?.kind === "account" ? credentials.email : undefined;
  return { facts, email, source: credentialsSource(service), limit: day?.rule, priceAt: price?.at, warnings };
}

function keyFacts({ credentials, key }: Located, now: number) {
  if (credentials?.kind !== "key") return null;
  const ageDays = key === undefined ? null : ageInDays(key.added, now);
  return { name: key?.name ?? null, shown: shownKey(credentials.key.secret), ageDays };
}

/** A variable of the shell comes before the stored profile. */
export function overridingVariables(name: string, { environment }: Host): string | undefined {
  const nameHere = environment["SMS_PROFILE"]?.trim() ?? name;
  const isSet = (each: string) => Boolean(environment[each]?.trim());
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
