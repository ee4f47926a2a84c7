import type { Profile, Store, StoredKey } from "../../src/profiles/stored.ts";

/** The day on which the tests add their keys. */
export const added = "2030-01-01T00:00:00.000Z";

/** A key that is kept under that secret. */
export function storedKey(secret: string, retired = false): StoredKey {
  return { secret, added, retired };
}

/** A profile with a test key and a live key, the latter in use. */
export const profile: Profile = {
  baseUrl: "https://sms.example.com",
  path: "/api/v1/sms/send",
  credentials: { kind: "key", name: "prod" },
  defaults: { sender: "ACME", country: "KE", rate: "starter" },
  keys: { dev: storedKey("sk_test_dev0"), prod: storedKey("sk_live_prod") },
};

/** A store whose one profile is that, or the one given. */
export function storeOf(only: Profile = profile): Store {
  return { version: 1, active: "default", profiles: { default: only } };
}
