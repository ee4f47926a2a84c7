import { readAddress } from "../service/address.ts";
import { modeOf } from "../service/credentials.ts";
import { ageInDays, readKey, shownKey } from "../key.ts";
import { variable } from "./variable.ts";
import type { Host } from "../host.ts";
import type { AccountNotes } from "../record/account.ts";
import type { Profile, Store } from "./stored.ts";
import { type ChosenProfile, credentialsSource, type Found, locate } from "./resolve.ts";
import { payingAccount, payerId } from "./payer.ts";

/** Returns what was noted of a payer, given as `payerId`. */
type Noted = (payer: string) => Promise<AccountNotes>;

export async function keyEntries(profile: Profile | undefined, now: number, noted: Noted) {
  if (profile === undefined) return [];
  const { credentials, keys } = profile;
  const entries = Object.entries(keys).map(async ([name, { secret, baseUrl, added, retired }]) => {
    const key = readKey(secret, `key ${JSON.stringify(name)}`);
    const { lastUsed } = await noted(payerId(readAddress(baseUrl, "the key"), { kind: "key", key }));
    return {
      name,
      mode: key.mode,
      shown: shownKey(secret),
      added,
      ageDays: ageInDays(added, now),
      lastUsed: lastUsed ?? null,
      active: credentials.kind === "key" && credentials.name === name,
      retired,
    };
  });
  return Promise.all(entries);
}

export function profileEntries({ profiles, active }: Store) {
  return Object.entries(profiles).map(([name, profile]) => ({
    name,
    baseUrl: profile.baseUrl ?? null,
    mode: modeOfProfile(profile),
    ...(profile.credentials.kind === "command" && { keyCommand: profile.credentials.command }),
    keys: Object.keys(profile.keys).length,
    sender: profile.defaults.sender ?? null,
    country: profile.defaults.country ?? null,
    ...(profile.defaults.onlyTo !== undefined && { onlyTo: profile.defaults.onlyTo }),
    active: name === active,
  }));
}

function modeOfProfile({ credentials, keys }: Profile): "account" | "live" | "test" | null {
  if (credentials.kind !== "key") return credentials.kind === "account" ? "account" : null;
  const key = keys[credentials.name];
  return key === undefined ? null : readKey(key.secret, "the key in use").mode;
}

/** Throws as `locate`, unless `known` is what it returns. */
export async function statusOf(
  chosen: ChosenProfile,
  host: Pick<Host, "environment" | "home" | "now" | "platform" | "readFile" | "timeZone" | "uid">,
  { noted, known }: { readonly noted: Noted; readonly known?: Found | undefined },
) {
  const found = known ?? (await locate(host, chosen));
  const { profile, address, path, credentials, sources, warnings } = found;
  const { onlyTo, hours, lowBalance, zone = host.timeZone() ?? null } = chosen.profile?.defaults ?? {};
  const { balance, price } = credentials === undefined ? {} : await noted(payerId(address, credentials));
  return {
    profile,
    address,
    baseUrl: address.origin + address.basePath,
    path,
    mode: credentials === undefined ? null : modeOf(credentials),
    credentials: describe(found, host.now()),
    credentialsSource: credentialsSource(found),
    sources,
    /** What pays; undefined until a key command of the environment has run. */
    account: payingAccount(found, chosen.profile),
    balance,
    lowBalance,
    price,
    onlyTo: Object.entries({ SMS_ONLY_TO: variable(host.environment, "SMS_ONLY_TO"), profile: onlyTo }).flatMap(
      ([source, list]) => (list === undefined ? [] : [{ source, list }]),
    ),
    /** The hours of live sends; the zone is the profile's, else the machine's, else null. */
    hours: hours === undefined ? undefined : { hours, zone },
    warnings,
  };
}

function describe({ credentials, key, keyCommand }: Found, now: number) {
  if (credentials === undefined || keyCommand !== undefined) {
    return { kind: "command", command: keyCommand ?? "" } as const;
  }
  if (credentials.kind === "account") return { kind: credentials.kind, email: credentials.email };
  const ageDays = key === undefined ? null : ageInDays(key.added, now);
  return { kind: credentials.kind, name: key?.name ?? null, shown: shownKey(credentials.key.secret), ageDays };
}
