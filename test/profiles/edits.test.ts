import { describe, expect, it } from "vitest";
import {
  removeCredentials,
  loginWithKey,
  putProfile,
  removeProfile,
  renameProfile,
  useInstead,
  useProfile,
} from "../../src/profiles/edits.ts";
import { formatStore, parseStore } from "../../src/profiles/read.ts";
import { emptyStore, type Store } from "../../src/profiles/stored.ts";
import { dev, newKey, none, prod, profile, storedKey, storeOf, using, withFields } from "./stored.ts";

const account = { kind: "account", email: "a@example.com", password: "canary" } as const;
const settings = { baseUrl: "https://sms.example.com", path: "/v1/sms/send", defaults: {} };
const other = "https://other.example.com";
const twoProfiles: Store = { ...storeOf(), profiles: { default: profile, staging: profile } };

describe("an edit of a profile", () => {
  it.each<[string, Store, Store]>([
    [
      "a login to another base URL retires all keys and removes none",
      putProfile(storeOf(), "default", { ...settings, baseUrl: other, mayMove: true }),
      withFields({
        ...settings,
        baseUrl: other,
        defaults: profile.defaults,
        credentials: none,
        keys: { dev: { ...dev, retired: true }, prod: { ...prod, retired: true } },
      }),
    ],
    [
      "a first login stores its key",
      loginWithKey(
        withFields({ credentials: none, keys: {} }),
        { profile: "default", name: "live" },
        newKey("sk_live_a"),
      ),
      withFields({ credentials: using("live"), keys: { live: storedKey("sk_live_a") } }),
    ],
    [
      "a login with a new key retires the old one",
      loginWithKey(storeOf(), { profile: "default", name: "prod" }, newKey("sk_live_a")),
      withFields({
        credentials: using("prod"),
        keys: { dev, "prod-retired": { ...prod, retired: true }, prod: storedKey("sk_live_a") },
      }),
    ],
    [
      "a login with a stored key uses it under its stored name",
      loginWithKey(storeOf(), { profile: "default", name: "other" }, newKey(dev.secret)),
      withFields({ credentials: using("dev") }),
    ],
    [
      "the first profile becomes the one in use",
      putProfile(emptyStore, "staging", { ...settings, defaults: { rate: 7 } }),
      {
        version: 1,
        active: "staging",
        profiles: { staging: { ...settings, defaults: { rate: 7 }, credentials: none, keys: {} } },
      },
    ],
    [
      "a second profile does not become the one in use",
      putProfile(storeOf(), "staging", settings),
      {
        ...storeOf(),
        profiles: { default: profile, staging: { ...settings, credentials: none, keys: {} } },
      },
    ],
    [
      "new settings keep the keys and the other defaults",
      putProfile(storeOf(), "default", { ...settings, defaults: { country: "UG" } }),
      withFields({ path: "/v1/sms/send", defaults: { sender: "ACME", country: "UG", rate: 500 } }),
    ],
    [
      "a profile without credentials changes its base URL",
      putProfile(withFields({ credentials: none, keys: {} }), "default", {
        ...settings,
        baseUrl: other,
        mayMove: true,
      }),
      withFields({
        baseUrl: other,
        path: "/v1/sms/send",
        credentials: none,
        keys: {},
      }),
    ],
    [
      "a profile is renamed, and stays the one in use and the account that pays",
      renameProfile(renameProfile(twoProfiles, "default", "shop"), "shop", "main"),
      { ...twoProfiles, active: "main", profiles: { main: { ...profile, formerName: "default" }, staging: profile } },
    ],
    ["a profile is chosen", useProfile(twoProfiles, "staging"), { ...twoProfiles, active: "staging" }],
    ["a profile is removed", removeProfile(twoProfiles, "staging"), storeOf()],
    ["the last profile is removed", removeProfile(storeOf(), "default"), emptyStore],
    ["the account pays", useInstead(storeOf(), "default", account), withFields({ credentials: account })],
    [
      "a logout removes all credentials and keeps the rest",
      removeCredentials(storeOf(), "default"),
      withFields({ credentials: none, keys: {} }),
    ],
  ])("%s", (_, changed, expected) => {
    expect(changed).toEqual(expected);
    expect(parseStore(Buffer.from(formatStore(changed)), "credentials.json")).toEqual(expected);
  });

  it.each<[string, string, () => Store]>([
    ["to use an unknown profile", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "none")],
    ["to use a profile called constructor", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "constructor")],
    ["to rename to a profile that exists", "PROFILE_EXISTS", () => renameProfile(twoProfiles, "default", "staging")],
    [
      "to move a profile unasked",
      "PROFILE_MOVES",
      () => putProfile(storeOf(), "default", { ...settings, baseUrl: other }),
    ],
    ["to remove an unknown profile", "UNKNOWN_PROFILE", () => removeProfile(storeOf(), "none")],
    ["to remove the profile in use", "PROFILE_IN_USE", () => removeProfile(twoProfiles, "default")],
    ["a profile with an empty name", "INVALID_NAME", () => putProfile(storeOf(), "", settings)],
    ["a profile called __proto__", "INVALID_NAME", () => putProfile(storeOf(), "__proto__", settings)],
    ["an account without a profile", "UNKNOWN_PROFILE", () => useInstead(emptyStore, "default", account)],
    ["to log out of an unknown profile", "UNKNOWN_PROFILE", () => removeCredentials(emptyStore, "default")],
  ])("refuses %s: %s", (_, errorCode, edit) => {
    expect(edit).toThrow(expect.objectContaining({ kind: "usage", errorCode }));
    expect(edit).not.toThrow(/canary/);
  });
});
