import { profileOption } from "../core/profile-option.ts";
import { usageError } from "../errors.ts";
import { requireName } from "./name.ts";
import type { Profile, Store, StoredKey } from "./stored.ts";

/** The profile of that name, if any. Throws a usage error `INVALID_NAME`. */
export function findProfile(store: Store, name: string): Profile | undefined {
  return own(store.profiles, requireName(name, "profile"));
}

/** The profile of that name. Throws a usage error `INVALID_NAME` or `UNKNOWN_PROFILE`. */
export function requireProfile(store: Store, name: string): Profile {
  const profile = findProfile(store, name);
  if (profile !== undefined) return profile;
  const login = `sms login${profileOption(name === store.active ? undefined : name)}`;
  const hint =
    Object.keys(store.profiles).length === 0 ? `\`${login}\` makes one` : "`sms profiles list` shows the profiles";
  throw usageError("UNKNOWN_PROFILE", `there is no profile ${JSON.stringify(name)}`, hint);
}

/** The key of that name, if any. Throws a usage error `INVALID_NAME`. */
export function findKey(profile: Profile, name: string): StoredKey | undefined {
  return own(profile.keys, requireName(name, "key"));
}

/** The key of that name. Throws a usage error `INVALID_NAME` or `UNKNOWN_KEY`. */
export function requireKey(profile: Profile, name: string): StoredKey {
  const key = findKey(profile, name);
  if (key !== undefined) return key;
  throw usageError("UNKNOWN_KEY", `there is no key ${JSON.stringify(name)}`, "`sms keys list` shows the keys");
}

/** Ignores inherited members: a profile or key may be called `constructor`. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
