import { baseUrlOf } from "../service/address.ts";
import { modeOf } from "../service/credentials.ts";
import { ageInDays, shownKey } from "../key.ts";
import type { Host } from "../host.ts";
import { sendDefaults } from "../profiles/defaults.ts";
import { payerId, payingAccount } from "../profiles/payer.ts";
import { notedOf, sharedRecord } from "../profiles/record.ts";
import { type ProfileInUse, credentialsSource, type Located, locate } from "../profiles/resolve.ts";
import { variable } from "../profiles/variable.ts";
import { isSandboxAt } from "../sending/destination.ts";

export type Status = Awaited<ReturnType<typeof readStatus>>;

/** Throws as `locate`, unless `located` is its result. */
export async function readStatus(profile: ProfileInUse, host: Host, located?: Located) {
  const service = located ?? (await locate(host, profile));
  const { address, path, credentials, sources, warnings } = service;
  const { onlyTo, hours, lowBalance, zone, rate, history } = profile.defaults;
  const { sender, country } = sendDefaults(host.environment, profile);
  const noted = credentials === undefined ? {} : await notedOf(payerId(address, credentials), host, profile);
  const mode = credentials === undefined ? null : modeOf(credentials);
  const lists = { SMS_ONLY_TO: variable(host.environment, "SMS_ONLY_TO"), profile: onlyTo };
  const { dayOf } = await import("../guards/spending.ts");
  return {
    profile: profile.name,
    baseUrl: baseUrlOf(address),
    path,
    mode,
    isSandbox: mode !== "test" && (await isSandboxAt(address, host.interruption().stop)),
    credentials: describe(service, host.now()),
    credentialsSource: credentialsSource(service),
    sources,
    sender,
    country,
    rate,
    zone,
    history: variable(host.environment, "SMS_HISTORY") ?? history ?? "on",
    /** The profile's zone comes before the machine's; without either the zone is null. */
    hours: hours === undefined ? undefined : { hours, zone: zone ?? host.timeZone() ?? null },
    onlyTo: Object.entries(lists).flatMap(([source, list]) => (list === undefined ? [] : [{ source, list }])),
    balance: noted.balance,
    lowBalance,
    price: noted.price,
    /** A key command of the environment runs before the payer is known. */
    day: await dayOf(payingAccount(service, profile), profile, host),
    record: await recordPlace(host, profile),
    warnings,
  };
}

function describe({ credentials, key, keyCommand }: Located, now: number) {
  if (credentials === undefined || keyCommand !== undefined) {
    return { kind: "command", command: keyCommand ?? "" } as const;
  }
  if (credentials.kind === "account") return { kind: credentials.kind, email: credentials.email };
  const ageDays = key === undefined ? null : ageInDays(key.added, now);
  return { kind: credentials.kind, name: key?.name ?? null, shown: shownKey(credentials.key.secret), ageDays };
}

/** Throws `INVALID_RECORD`. The password is left out. */
async function recordPlace(host: Host, profile: ProfileInUse) {
  const shared = sharedRecord(host, profile);
  if (shared === undefined) return undefined;
  const { readRecordAddress } = await import("../record/postgres/address.ts");
  return { place: readRecordAddress(shared.url).place, source: shared.source };
}
