import { readAddress, sendPath } from "../service/address.ts";
import { readKey, rotationCommand } from "../key.ts";
import { shellWord } from "../words/shell-word.ts";
import { usageError } from "../errors.ts";
import { credentialsId } from "./payer.ts";
import {
  type Defaults,
  findKey,
  findProfile,
  isAddressOf,
  newProfile,
  type Profile,
  requireKey,
  requireOwnKey,
  requireProfile,
  type Store,
  type ProfileKey,
} from "./stored.ts";

/** The first profile becomes the one in use. */
export function editProfile(store: Store, name: string, edit: (before: Profile) => Profile): Store {
  const profiles = { ...store.profiles, [name]: edit(findProfile(store, name) ?? newProfile) };
  return { ...store, profiles, active: Object.keys(store.profiles).length === 0 ? name : store.active };
}

export function renameProfile(store: Store, from: string, to: string): Store {
  const profile = requireProfile(store, from);
  if (findProfile(store, to) !== undefined)
    throw usageError("PROFILE_EXISTS", `profile ${JSON.stringify(to)} already exists`, "choose another name");
  const profiles = renamed({ ...store.profiles, [from]: { formerName: from, ...profile } }, from, to);
  return { ...store, profiles, active: store.active === from ? to : store.active };
}

export function useProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  return { ...store, active: name };
}

export function removeProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  const profiles = without(store.profiles, name);
  if (store.active !== name || Object.keys(profiles).length === 0) return { ...store, profiles };
  const hint = "switch to another with `sms profiles use NAME` first";
  throw usageError("PROFILE_IN_USE", `profile ${JSON.stringify(name)} is in use`, hint);
}

export function setDefault(before: Profile, setting: keyof Defaults, value: Defaults[keyof Defaults]): Profile {
  const others = without({ ...before.defaults }, setting);
  return { ...before, defaults: value === undefined ? others : { ...others, [setting]: value } };
}

export function removeCredentials(before: Profile): Profile {
  return { ...before, credentials: { kind: "none" }, keys: {} };
}

interface Login extends Pick<Profile, "defaults"> {
  readonly name: string;
  readonly baseUrl: string;
  readonly mayMove: boolean;
  /** If the service was not asked, a profile that stays at its base URL keeps its path. */
  readonly path?: string;
  readonly credentials: ProfileKey | Extract<Profile["credentials"], { readonly kind: "account" | "command" }>;
}

/** A new base URL retires all keys, which must not go there. Throws `PROFILE_MOVES` unless a person said `mayMove`. */
export function logIn(before: Profile, { name, baseUrl, mayMove, path, defaults, credentials }: Login): Profile {
  const isMoved = moves(before, baseUrl);
  if (isMoved && !mayMove) throw profileMoves(name, before, baseUrl);
  const newDefaults = Object.entries(defaults).filter(([, value]) => value !== undefined);
  const profile: Profile = {
    ...before,
    baseUrl,
    path: path ?? (isMoved ? sendPath : before.path),
    defaults: { ...before.defaults, ...Object.fromEntries(newDefaults) },
    keys: isMoved ? allRetired(before.keys) : before.keys,
  };
  return "secret" in credentials ? loginWithKey(profile, credentials) : { ...profile, credentials };
}

export function moves(profile: Profile, to: string): boolean {
  return profile.baseUrl !== undefined && !isAddressOf(profile, readAddress(to, "the login"));
}

export function profileMoves(name: string, { baseUrl }: Profile, to: string): Error {
  return usageError(
    "PROFILE_MOVES",
    `profile ${JSON.stringify(name)} is at ${baseUrl}, and this login would move it to ${to}`,
    "keep both with --profile NAME, or move it with --yes: its keys are then retired",
  );
}

/** A key that is known for this base URL keeps its name; another key of that name is kept as retired. */
function loginWithKey(before: Profile, key: ProfileKey): Profile {
  const same = nameOfSecret(before, key);
  if (same !== undefined) return useKey(before, same);
  const name = readKey(key.secret, "the key").mode;
  const old = findKey(before, name);
  const former = old && { [retiredName(before, name)]: { ...old, retired: true } };
  return { ...before, credentials: { kind: "key", name }, keys: { ...before.keys, ...former, [name]: key } };
}

export function addKey(before: Profile, name: string, key: ProfileKey, path = sendPath): Profile {
  requireUnusedName(before, name);
  requireUnknownKey(before, key);
  return {
    ...before,
    ...(before.baseUrl === undefined && { baseUrl: key.baseUrl, path }),
    credentials: before.credentials.kind === "none" ? { kind: "key", name } : before.credentials,
    keys: { ...before.keys, [name]: key },
  };
}

export function useKey(before: Profile, name: string): Profile {
  const keys = { ...before.keys, [name]: { ...requireOwnKey(before, name), retired: false } };
  return { ...before, credentials: { kind: "key", name }, keys };
}

export function renameKey(before: Profile, from: string, to: string): Profile {
  requireKey(before, from);
  requireUnusedName(before, to);
  const credentials = isInUse(before, from) ? ({ kind: "key", name: to } as const) : before.credentials;
  return { ...before, credentials, keys: renamed(before.keys, from, to) };
}

/** Throws a usage error `KEY_RETIRED`, `SAME_KEY` or, for a test key and a live key, `OTHER_MODE`. */
export function rotateKey(before: Profile, name: string, key: ProfileKey): Profile {
  const old = requireOwnKey(before, name);
  const oldName = `key ${JSON.stringify(name)}`;
  if (old.retired) throw usageError("KEY_RETIRED", `${oldName} is already retired`, "rotate the key in use");
  requireUnknownKey(before, key);
  const oldKey = readKey(old.secret, oldName);
  const { mode } = readKey(key.secret, "the new key");
  if (oldKey.mode !== mode) {
    const hint = "add it under another name with `sms keys add NAME`";
    throw usageError("OTHER_MODE", `${oldName} is a ${oldKey.mode} key, and the new one is a ${mode} key`, hint);
  }
  const rotatedFrom =
    old.rotatedFrom ?? credentialsId(readAddress(old.baseUrl, "the key"), { kind: "key", key: oldKey });
  const keys = { [name]: { ...key, rotatedFrom }, [retiredName(before, name)]: { ...old, retired: true } };
  return { ...before, keys: { ...before.keys, ...keys } };
}

export function removeKey(before: Profile, name: string): Profile {
  requireKey(before, name);
  const keys = without(before.keys, name);
  if (!isInUse(before, name)) return { ...before, keys };
  if (Object.keys(keys).length === 0) return removeCredentials(before);
  const hint = "switch to another with `sms keys use NAME` first, or remove all with `sms logout`";
  throw usageError("KEY_IN_USE", `key ${JSON.stringify(name)} is in use`, hint);
}

export function retiredName(profile: Profile, name: string): string {
  const stem = Array.from(name).slice(0, 48).join("").trimEnd();
  let unusedName = `${stem}-retired`;
  for (let count = 2; findKey(profile, unusedName) !== undefined; count++) unusedName = `${stem}-retired-${count}`;
  return unusedName;
}

export function isInUse({ credentials }: Profile, name: string): boolean {
  return credentials.kind === "key" && credentials.name === name;
}

export function requireUnusedName(profile: Profile, name: string): void {
  if (findKey(profile, name) === undefined) return;
  const hint = `choose another name, or replace the key with ${rotationCommand(name)}`;
  throw usageError("KEY_EXISTS", `key ${JSON.stringify(name)} already exists`, hint);
}

export function requireUnknownKey(profile: Profile, key: Pick<ProfileKey, "secret">): void {
  const name = nameOfSecret(profile, key);
  if (name === undefined) return;
  const hint = `give another key, or switch to that one with \`sms keys use ${shellWord(name)}\``;
  throw usageError("SAME_KEY", `this key is already stored as ${JSON.stringify(name)}`, hint);
}

function nameOfSecret({ baseUrl, keys }: Profile, { secret }: Pick<ProfileKey, "secret">): string | undefined {
  return Object.entries(keys).find(([, key]) => key.secret === secret && key.baseUrl === baseUrl)?.[0];
}

function allRetired(keys: Profile["keys"]): Profile["keys"] {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { ...key, retired: true }]));
}

function renamed<T>(members: Readonly<Record<string, T>>, from: string, to: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name === from ? to : name, value]));
}

function without<T>(members: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
}
