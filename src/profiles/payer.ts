import { type Address, baseUrlOf } from "../service/address.ts";
import type { Credentials, Payer } from "../service/credentials.ts";
import type { Located, ProfileInUse, Resolved } from "./resolve.ts";
import type { Profile } from "./stored.ts";

export function payerOf(
  service: Omit<Resolved, "warnings" | "path" | "otherService">,
  profile: Profile | undefined,
): Payer {
  const { address, credentials, key, keyCommand, sources } = service;
  return {
    account: payingAccount(service, profile) ?? credentialsId(address, credentials),
    profile: nameOfPayingProfile(service, profile),
    key: key?.name ?? keyNameOf(credentials, profile) ?? labelOf(sources.credentials, keyCommand),
  };
}

/** A day's limit and the history go on when a key is replaced, so that all keys of a profile are one account. */
export function payingAccount(
  service: Pick<Located, "profile" | "address" | "credentials" | "sources">,
  profile: Profile | undefined,
): string | undefined {
  const { address, credentials } = service;
  const name = nameOfPayingProfile(service, profile);
  if (name !== undefined) return shortHash(JSON.stringify([baseUrlOf(address), "profile", name]));
  return credentials && credentialsId(address, credentials);
}

function nameOfPayingProfile(
  { profile: name, credentials, sources }: Pick<Located, "profile" | "credentials" | "sources">,
  profile: Profile | undefined,
): string | undefined {
  const isOfProfile = sources.credentials === "profile" || keyNameOf(credentials, profile) !== undefined;
  return isOfProfile ? (profile?.formerName ?? name) : undefined;
}

/** A profile that was renamed still pays under its first name. */
export function firstName({ formerName, name }: Pick<ProfileInUse, "formerName" | "name">): string {
  return formerName ?? name;
}

export function currentName(profiles: Readonly<Record<string, Profile>>, first: string): string {
  return Object.entries(profiles).find(([, { formerName }]) => formerName === first)?.[0] ?? first;
}

export function keyNameOf(credentials: Credentials | undefined, profile: Profile | undefined): string | undefined {
  return entryOf(credentials, profile)?.[0];
}

function entryOf(credentials: Credentials | undefined, profile: Profile | undefined) {
  const secret = credentials?.kind === "key" ? credentials.key.secret : undefined;
  return Object.entries(profile?.keys ?? {}).find(([, key]) => key.secret === secret);
}

function labelOf(source: string, keyCommand: string | undefined): string {
  if (source !== "profile") return source;
  return keyCommand === undefined ? "account" : "key command";
}

/** The hash is too short to reveal a key, and leaves out the password, which people could guess from a hash. */
export function credentialsId(address: Address, credentials: Credentials): string {
  const login = credentials.kind === "key" ? ["key", credentials.key.secret] : ["account", credentials.email];
  return shortHash(JSON.stringify([baseUrlOf(address), ...login]));
}

/** Only the profile knows that one key replaced another; the key of another login is another payer. */
export function lastingCredentialsId(address: Address, credentials: Credentials, profile: Profile | undefined): string {
  return entryOf(credentials, profile)?.[1].rotatedFrom ?? credentialsId(address, credentials);
}

/** FNV-1a gives no security, but loading node:crypto would slow the start. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
