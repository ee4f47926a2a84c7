import { type SmsError, usageError } from "../errors.ts";
import { requireName } from "./name.ts";
import type { Profile, Store, StoredKey } from "./stored.ts";

/** The profile of that name; undefined where there is none. Throws a usage error where nothing can have that name. */
export function findProfile(store: Store, name: string): Profile | undefined {
  return own(store.profiles, requireName(name, "profile"));
}

/** The profile of that name, else a usage error `UNKNOWN_PROFILE`. */
export function requireProfile(store: Store, name: string): Profile {
  const profile = findProfile(store, name);
  if (profile !== undefined) return profile;
  throw unknown("UNKNOWN_PROFILE", `there is no profile ${JSON.stringify(name)}`, "sms profiles list");
}

/** The key of that name; undefined where the profile has none. Throws a usage error where nothing can have that name. */
export function findKey(profile: Profile, name: string): StoredKey | undefined {
  return own(profile.keys, requireName(name, "key"));
}

/** The key of that name, else a usage error `UNKNOWN_KEY`. */
export function requireKey(profile: Profile, name: string): StoredKey {
  const key = findKey(profile, name);
  if (key !== undefined) return key;
  throw unknown("UNKNOWN_KEY", `there is no key ${JSON.stringify(name)}`, "sms keys list");
}

/** Names are anybody's choice, so `constructor` must not find what every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function unknown(errorCode: string, message: string, list: string): SmsError {
  return usageError(errorCode, message, `\`${list}\` shows which there are`);
}
