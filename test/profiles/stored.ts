import { readKey } from "../../src/key.ts";
import { addKey, editProfile } from "../../src/profiles/edits.ts";
import { newKey, type Profile, type Store, type ProfileKey } from "../../src/profiles/stored.ts";

const baseUrl = "https://sms.example.com";
const added = Date.UTC(2030, 0, 1);

export function storedKey(secret: string): ProfileKey {
  return newKey(readKey(secret, "the test"), baseUrl, added);
}

export const dev = storedKey("sk_test_dev0");
export const prod = storedKey("sk_live_prod");

export function using(name: string): Profile["credentials"] {
  return { kind: "key", name };
}

/** A profile with a test key and a live key, which is in use. */
export const profile: Profile = {
  baseUrl,
  path: "/api/v1/sms/send",
  credentials: using("prod"),
  defaults: { sender: "ACME", country: "KE", rate: 500 },
  keys: { dev, prod },
};

export const bare: Profile = { ...profile, credentials: { kind: "none" }, keys: {} };

export function storeOf(only: Profile = profile): Store {
  return { version: 1, active: "default", profiles: { default: only } };
}

export const adding = (name: string) => (store: Store) =>
  editProfile(store, "default", (before) => addKey(before, name, storedKey(`sk_test_${name}`)));
