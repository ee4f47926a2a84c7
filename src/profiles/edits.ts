import { sendPath } from "../core/address.ts";
import type { ApiKey } from "../core/key.ts";
import { readKey } from "../core/key.ts";
import { usageError } from "../errors.ts";
import { findKey, findProfile, requireKey, requireProfile } from "./find.ts";
import { requireName } from "./name.ts";
import type { Defaults, Profile, Store, StoredAccount, StoredKey } from "./stored.ts";

/** What a login says of a service. */
export interface ProfileSettings {
  readonly baseUrl: string;
  readonly path: string;
  /** Those given take the place of the profile's own; the others stay. */
  readonly defaults: Defaults;
}

/** A key as it comes to the store. */
export interface NewKey {
  readonly key: ApiKey;
  /** ISO 8601 in UTC. */
  readonly added: string;
}

/**
 * Makes the profile, or changes its settings. The first one is in use. Keys that were kept for another base URL are
 * retired, so that none of them is sent to this one unasked, and none is lost.
 */
export function putProfile(store: Store, name: string, settings: ProfileSettings): Store {
  const before = profileOrNew(store, name);
  const defaults = { ...before.defaults, ...settings.defaults };
  const hasMoved = before.baseUrl !== undefined && before.baseUrl !== settings.baseUrl;
  return withProfile(store, name, {
    ...(hasMoved ? withRetiredKeys(before) : before),
    ...settings,
    defaults,
  });
}

/** Makes the profile the one in use. */
export function useProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  return { ...store, active: name };
}

/** Forgets the profile and all its keys. The one in use goes only where no other is left to choose from. */
export function removeProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  const profiles = without(store.profiles, name);
  if (store.active === name && Object.keys(profiles).length > 0) {
    throw usageError(
      "PROFILE_IN_USE",
      `profile ${shown(name)} is in use`,
      "first choose another with `sms profiles use NAME`",
    );
  }
  return { ...store, profiles };
}

/** Lets the account itself pay, in place of a key or of another account. */
export function useAccount(store: Store, profile: string, account: StoredAccount): Store {
  return withProfile(store, profile, { ...requireProfile(store, profile), credentials: account });
}

/** Forgets every key of the profile, and the account's password. */
export function forgetCredentials(store: Store, profile: string): Store {
  const before = requireProfile(store, profile);
  return withProfile(store, profile, { ...before, credentials: { kind: "none" }, keys: {} });
}

/** Keeps another key; it is in use where nothing was. */
export function addKey(store: Store, profile: string, name: string, { key, added }: NewKey): Store {
  const before = profileOrNew(store, profile);
  requireFree(before, name);
  requireNew(before, key);
  return withProfile(store, profile, {
    ...before,
    credentials: before.credentials.kind === "none" ? { kind: "key", name } : before.credentials,
    keys: { ...before.keys, [name]: { secret: key.secret, added, retired: false } },
  });
}

/**
 * Keeps the key of a login and makes it the one in use: under the name it has already, else under `name`, where one that
 * it replaces stays as retired.
 */
export function loginWithKey(store: Store, profile: string, name: string, { key, added }: NewKey): Store {
  const before = profileOrNew(store, profile);
  const same = Object.entries(before.keys).find(([, { secret }]) => secret === key.secret);
  if (same !== undefined) return useKey(store, profile, same[0]);
  const old = findKey(before, name);
  const kept =
    old === undefined
      ? before.keys
      : { ...before.keys, [retiredName(before, name)]: { ...old, retired: true } };
  return withProfile(store, profile, {
    ...before,
    credentials: { kind: "key", name },
    keys: { ...kept, [name]: { secret: key.secret, added, retired: false } },
  });
}

/** Makes the key the one in use, and no longer retired if it was. */
export function useKey(store: Store, profile: string, name: string): Store {
  const before = requireProfile(store, profile);
  const key = requireKey(before, name);
  return withProfile(store, profile, {
    ...before,
    credentials: { kind: "key", name },
    keys: { ...before.keys, [name]: { ...key, retired: false } },
  });
}

/** Gives the key another name, under which it stays in use if it was. */
export function renameKey(store: Store, profile: string, from: string, to: string): Store {
  const before = requireProfile(store, profile);
  requireKey(before, from);
  requireFree(before, to);
  const keys = Object.entries(before.keys).map(([name, key]) => [name === from ? to : name, key] as const);
  return withProfile(store, profile, {
    ...before,
    credentials: isInUse(before, from) ? { kind: "key", name: to } : before.credentials,
    keys: Object.fromEntries(keys),
  });
}

/**
 * Puts the new key in the place of the old one, under its name and in use if it was; the old one stays, retired, as
 * `NAME-retired`. Throws a usage error where the one is a test key and the other a live key.
 */
export function rotateKey(store: Store, profile: string, name: string, { key, added }: NewKey): Store {
  const before = requireProfile(store, profile);
  const old = requireKey(before, name);
  if (old.retired) {
    throw usageError("KEY_RETIRED", `key ${shown(name)} is retired already`, "rotate the one in use");
  }
  requireNew(before, key);
  const { mode } = readKey(old.secret, `key ${shown(name)}`);
  if (mode !== key.mode) {
    throw usageError(
      "OTHER_MODE",
      `key ${shown(name)} is a ${mode} key, and the new one is a ${key.mode} key`,
      "keep it under a name of its own with `sms keys add NAME`",
    );
  }
  return withProfile(store, profile, {
    ...before,
    keys: {
      ...before.keys,
      [name]: { secret: key.secret, added, retired: false },
      [retiredName(before, name)]: { ...old, retired: true },
    },
  });
}

/** Forgets the key. The one in use goes only where no other is left to choose from. */
export function removeKey(store: Store, profile: string, name: string): Store {
  const before = requireProfile(store, profile);
  requireKey(before, name);
  const keys = without(before.keys, name);
  if (!isInUse(before, name)) return withProfile(store, profile, { ...before, keys });
  if (Object.keys(keys).length > 0) {
    throw usageError(
      "KEY_IN_USE",
      `key ${shown(name)} is in use`,
      "first choose another with `sms keys use NAME`, or forget all with `sms logout`",
    );
  }
  return withProfile(store, profile, { ...before, credentials: { kind: "none" }, keys });
}

/** The name under which `rotateKey` keeps the old key. */
export function retiredName(profile: Profile, name: string): string {
  const stem = Array.from(name).slice(0, 48).join("").trimEnd();
  let retired = `${stem}-retired`;
  for (let count = 2; findKey(profile, retired) !== undefined; count++) retired = `${stem}-retired-${count}`;
  return retired;
}

/** The profile of that name, or a new one that has nothing yet. */
function profileOrNew(store: Store, name: string): Profile {
  return (
    findProfile(store, name) ?? { path: sendPath, credentials: { kind: "none" }, defaults: {}, keys: {} }
  );
}

/** The store with that profile; the first one is in use. */
function withProfile(store: Store, name: string, profile: Profile): Store {
  const isFirst = Object.keys(store.profiles).length === 0;
  const profiles = { ...store.profiles, [requireName(name, "profile")]: profile };
  return { ...store, profiles, active: isFirst ? name : store.active };
}

function withRetiredKeys(profile: Profile): Profile {
  const keys = Object.entries(profile.keys).map(([name, key]) => [name, { ...key, retired: true }] as const);
  return { ...profile, credentials: { kind: "none" }, keys: Object.fromEntries(keys) };
}

function isInUse({ credentials }: Profile, name: string): boolean {
  return credentials.kind === "key" && credentials.name === name;
}

/** Throws a usage error where the profile has a key of that name. */
export function requireFree(profile: Profile, name: string): void {
  if (findKey(profile, name) === undefined) return;
  throw usageError(
    "KEY_EXISTS",
    `there is a key ${shown(name)} already`,
    "choose another name, or replace it with `sms keys rotate`",
  );
}

function requireNew(profile: Profile, { secret }: ApiKey): void {
  const same = Object.entries(profile.keys).find(([, key]: [string, StoredKey]) => key.secret === secret);
  if (same === undefined) return;
  throw usageError("SAME_KEY", `this key is kept already, as ${shown(same[0])}`);
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}

function shown(name: string): string {
  return JSON.stringify(name);
}
