import { readKey } from "../../src/key.ts";
import type { Profile, Store } from "../../src/profiles/stored.ts";

/** What the profile and its keys belong to. */
const baseUrl = "https://sms.example.com";

/** When the keys of the tests were added. */
const added = "2030-01-01T00:00:00.000Z";

export function storedKey(secret: string, retired = false): Profile["keys"][string] {
  return { secret, baseUrl, added, retired };
}

export const dev = storedKey("sk_test_dev0");
export const prod = storedKey("sk_live_prod");

/** A key as a person adds it. */
export function newKey(secret: string) {
  return { key: readKey(secret, "the test"), baseUrl, added };
}

/** The credentials of a profile that uses that key. */
export function using(name: string): Profile["credentials"] {
  return { kind: "key", name };
}

/** The credentials of a profile that has none. */
export const none: Profile["credentials"] = { kind: "none" };

/** A profile with a test key and a live key, which is in use. */
export const profile: Profile = {
  baseUrl,
  path: "/api/v1/sms/send",
  credentials: { kind: "key", name: "prod" },
  defaults: { sender: "ACME", country: "KE", rate: 500 },
  keys: { dev, prod },
};

/** A store with one profile. */
export function storeOf(only: Profile = profile): Store {
  return { version: 1, active: "default", profiles: { default: only } };
}

/** A store whose one profile is `profile`, changed in these fields. */
export function withFields(fields: Partial<Profile>): Store {
  return storeOf({ ...profile, ...fields });
}
