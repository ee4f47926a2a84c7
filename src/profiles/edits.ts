import { readAddress, sendPath } from "../service/address.ts";
import type { Credentials } from "../service/credentials.ts";
import { type ApiKey, readKey, rotationCommand } from "../key.ts";
import { shellWord } from "../words/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";
import { payerId } from "./payer.ts";
import {
  type Defaults,
  findKey,
  findProfile,
  newProfile,
  type Profile,
  requireKey,
  requireOwnKey,
  requireProfile,
  type Store,
} from "./stored.ts";

interface ProfileSettings extends Required<Pick<Profile, "baseUrl" | "defaults">> {
  /** If the service was not asked, a profile that stays at its base URL keeps its path. */
  readonly path?: string;
  readonly mayMove?: boolean;
}

interface Login extends ProfileSettings {
  /** The command is stored, and not its key. */
  readonly credentials: Credentials | { readonly kind: "command"; readonly command: string };
  readonly added: string;
}

export function logIn(store: Store, profile: string, { credentials, added, ...settings }: Login): Store {
  const after = putProfile(store, profile, settings);
  if (credentials.kind !== "key") return useInstead(after, profile, credentials);
  const { key } = credentials;
  return loginWithKey(after, { profile, name: key.mode }, { key, baseUrl: settings.baseUrl, added });
}

interface KeyName {
  readonly profile: string;
  readonly name: string;
}

interface NewKey {
  readonly key: ApiKey;
  readonly baseUrl: string;
  readonly added: string;
}

interface AddedKey extends NewKey {
  /** A profile without a base URL takes the path of the key. */
  readonly path?: string;
}

/** A new base URL retires all keys, which must not go there. Throws `PROFILE_MOVES` unless a person said `mayMove`. */
export function putProfile(store: Store, name: string, { mayMove, path, ...settings }: ProfileSettings): Store {
  return changeOrMake(store, name, (before) => {
    const moved = before.baseUrl !== undefined && before.baseUrl !== settings.baseUrl;
    if (moved && !mayMove) throw profileMoves(name, before.baseUrl, settings.baseUrl);
    const named = Object.entries(settings.defaults).filter(([, value]) => value !== undefined);
    const defaults = { ...before.defaults, ...Object.fromEntries(named) };
    const pathThere = path ?? (moved ? sendPath : before.path);
    return { ...(moved && withRetiredKeys(before)), ...settings, path: pathThere, defaults };
  });
}

export function profileMoves(name: string, from: string, to: string): SmsError {
  return usageError(
    "PROFILE_MOVES",
    `profile ${JSON.stringify(name)} is at ${from}, and this login would move it to ${to}`,
    "keep both with --profile NAME, or move it with --yes: its keys are then retired",
  );
}

export function renameProfile(store: Store, from: string, to: string): Store {
  const { formerName = from } = requireProfile(store, from);
  if (findProfile(store, to) !== undefined)
    throw usageError("PROFILE_EXISTS", `profile ${JSON.stringify(to)} already exists`, "choose another name");
  const profiles = Object.entries(store.profiles).map(([name, profile]) =>
    name === from ? ([to, { ...profile, formerName }] as const) : ([name, profile] as const),
  );
  return { ...store, profiles: Object.fromEntries(profiles), active: store.active === from ? to : store.active };
}

export function useProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  return { ...store, active: name };
}

export function removeProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  const profiles = without(store.profiles, name);
  if (store.active === name && Object.keys(profiles).length > 0) {
    throw usageError(
      "PROFILE_IN_USE",
      `profile ${JSON.stringify(name)} is in use`,
      "switch to another with `sms profiles use NAME` first",
    );
  }
  return { ...store, profiles };
}

export function useInstead(
  store: Store,
  profile: string,
  credentials: Exclude<Profile["credentials"], { readonly kind: "none" | "key" }>,
): Store {
  return change(store, profile, () => ({ credentials }));
}

export function setDefault(
  store: Store,
  profile: string,
  setting: keyof Defaults,
  value: Defaults[keyof Defaults],
): Store {
  // A machine that has its credentials in the environment has no profile before its first default.
  const edit = value === undefined ? change : changeOrMake;
  return edit(store, profile, ({ defaults }) => ({
    defaults: { ...without({ ...defaults }, setting), ...(value !== undefined && { [setting]: value }) },
  }));
}

export function removeCredentials(store: Store, profile: string): Store {
  return change(store, profile, () => ({ credentials: { kind: "none" }, keys: {} }));
}

export function addKey(store: Store, { profile, name }: KeyName, { key, path, ...kept }: AddedKey): Store {
  return changeOrMake(store, profile, (before) => {
    requireUnusedName(before, name);
    requireUnknownKey(before, key);
    return {
      ...(before.baseUrl === undefined && { baseUrl: kept.baseUrl, path: path ?? before.path }),
      credentials: before.credentials.kind === "none" ? { kind: "key", name } : before.credentials,
      keys: { ...before.keys, [name]: { secret: key.secret, ...kept, retired: false } },
    };
  });
}

/** A key that is known for this base URL keeps its name; another key of that name is kept as retired. */
export function loginWithKey(store: Store, { profile, name }: KeyName, { key, ...kept }: NewKey): Store {
  return changeOrMake(store, profile, (before) => {
    const same = nameOfSecret(before, key);
    if (same !== undefined) return used(before, same);
    const old = findKey(before, name);
    const older = old && { [retiredName(before, name)]: { ...old, retired: true } };
    return {
      credentials: { kind: "key", name },
      keys: { ...before.keys, ...older, [name]: { secret: key.secret, ...kept, retired: false } },
    };
  });
}

export function useKey(store: Store, profile: string, name: string): Store {
  return change(store, profile, (before) => used(before, name));
}

function used(before: Profile, name: string): Partial<Profile> {
  const keys = { ...before.keys, [name]: { ...requireOwnKey(before, name), retired: false } };
  return { credentials: { kind: "key", name }, keys };
}

export function renameKey(store: Store, profile: string, from: string, to: string): Store {
  return change(store, profile, (before) => {
    requireKey(before, from);
    requireUnusedName(before, to);
    const keys = Object.entries(before.keys).map(([name, key]) => [name === from ? to : name, key] as const);
    return {
      credentials: isInUse(before, from) ? { kind: "key", name: to } : before.credentials,
      keys: Object.fromEntries(keys),
    };
  });
}

/** Throws a usage error `KEY_RETIRED`, `SAME_KEY` or, for a test key and a live key, `OTHER_MODE`. */
export function rotateKey(store: Store, { profile, name }: KeyName, { key, ...kept }: NewKey): Store {
  return change(store, profile, (before) => {
    const old = requireOwnKey(before, name);
    if (old.retired) {
      throw usageError("KEY_RETIRED", `key ${JSON.stringify(name)} is already retired`, "rotate the key in use");
    }
    requireUnknownKey(before, key);
    const oldKey = readKey(old.secret, `key ${JSON.stringify(name)}`);
    if (oldKey.mode !== key.mode) {
      throw usageError(
        "OTHER_MODE",
        `key ${JSON.stringify(name)} is a ${oldKey.mode} key, and the new one is a ${key.mode} key`,
        "add it under another name with `sms keys add NAME`",
      );
    }
    const rotatedFrom = old.rotatedFrom ?? payerId(readAddress(old.baseUrl, "the key"), { kind: "key", key: oldKey });
    return {
      keys: {
        ...before.keys,
        [name]: { secret: key.secret, ...kept, retired: false, rotatedFrom },
        [retiredName(before, name)]: { ...old, retired: true },
      },
    };
  });
}

export function removeKey(store: Store, profile: string, name: string): Store {
  return change(store, profile, (before) => {
    requireKey(before, name);
    const keys = without(before.keys, name);
    if (!isInUse(before, name)) return { keys };
    if (Object.keys(keys).length === 0) return { credentials: { kind: "none" }, keys };
    throw usageError(
      "KEY_IN_USE",
      `key ${JSON.stringify(name)} is in use`,
      "switch to another with `sms keys use NAME` first, or remove all with `sms logout`",
    );
  });
}

export function retiredName(profile: Profile, name: string): string {
  const stem = Array.from(name).slice(0, 48).join("").trimEnd();
  let retired = `${stem}-retired`;
  for (let count = 2; findKey(profile, retired) !== undefined; count++) retired = `${stem}-retired-${count}`;
  return retired;
}

function change(store: Store, name: string, edit: (before: Profile) => Partial<Profile>): Store {
  requireProfile(store, name);
  return changeOrMake(store, name, edit);
}

function changeOrMake(store: Store, name: string, edit: (before: Profile) => Partial<Profile>): Store {
  const before = findProfile(store, name) ?? newProfile;
  const isFirst = Object.keys(store.profiles).length === 0;
  const profiles = { ...store.profiles, [name]: { ...before, ...edit(before) } };
  return { ...store, profiles, active: isFirst ? name : store.active };
}

function withRetiredKeys({ keys }: Profile): Partial<Profile> {
  const retired = Object.entries(keys).map(([name, key]) => [name, { ...key, retired: true }] as const);
  return { credentials: { kind: "none" }, keys: Object.fromEntries(retired) };
}

export function isInUse({ credentials }: Profile, name: string): boolean {
  return credentials.kind === "key" && credentials.name === name;
}

export function requireUnusedName(profile: Profile, name: string): void {
  if (findKey(profile, name) === undefined) return;
  throw usageError(
    "KEY_EXISTS",
    `key ${JSON.stringify(name)} already exists`,
    `choose another name, or replace the key with ${rotationCommand(name)}`,
  );
}

export function requireUnknownKey(profile: Profile, key: ApiKey): void {
  const name = nameOfSecret(profile, key);
  if (name === undefined) return;
  const hint = `give another key, or switch to that one with \`sms keys use ${shellWord(name)}\``;
  throw usageError("SAME_KEY", `this key is already stored as ${JSON.stringify(name)}`, hint);
}

function nameOfSecret({ baseUrl, keys }: Profile, { secret }: ApiKey): string | undefined {
  return Object.entries(keys).find(([, key]) => key.secret === secret && key.baseUrl === baseUrl)?.[0];
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}
