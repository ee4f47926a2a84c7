import { describe, expect, it } from "vitest";
import { readKey } from "../../src/core/key.ts";
import {
  addKey,
  forgetCredentials,
  loginWithKey,
  putProfile,
  removeKey,
  removeProfile,
  renameKey,
  rotateKey,
  useAccount,
  useKey,
  useProfile,
} from "../../src/profiles/edits.ts";
import { formatStore, parseStore } from "../../src/profiles/parse.ts";
import { emptyStore, type Profile, type Store } from "../../src/profiles/stored.ts";
import { added, profile, storedKey, storeOf } from "./stored.ts";

const { dev, prod } = { dev: storedKey("sk_test_dev0"), prod: storedKey("sk_live_prod") };
const account = { kind: "account", email: "a@example.com", password: "canary" } as const;
const none = { kind: "none" } as const;
const settings = { baseUrl: "https://sms.example.com", path: "/v1/sms/send", defaults: {} };

const newKey = (secret: string) => ({ key: readKey(secret, "the test"), added });
const using = (name: string) => ({ kind: "key", name }) as const;

/** A store of that profile, changed in these fields. */
const withFields = (fields: Partial<Profile>): Store => storeOf({ ...profile, ...fields });

const twoProfiles: Store = { ...storeOf(), profiles: { default: profile, staging: profile } };

describe("an edit of the store", () => {
  it.each<[string, Store, Store]>([
    [
      "retires the keys of a service that a login leaves for another, and loses none",
      putProfile(storeOf(), "default", { ...settings, baseUrl: "https://other.example.com" }),
      withFields({
        ...settings,
        baseUrl: "https://other.example.com",
        defaults: profile.defaults,
        credentials: none,
        keys: { dev: { ...dev, retired: true }, prod: { ...prod, retired: true } },
      }),
    ],
    [
      "keeps a key before there is a profile",
      addKey(emptyStore, "default", "a", newKey("sk_live_a")),
      storeOf({
        path: "/api/v1/sms/send",
        credentials: using("a"),
        defaults: {},
        keys: { a: storedKey("sk_live_a") },
      }),
    ],
    [
      "keeps the key of a first login",
      loginWithKey(withFields({ credentials: none, keys: {} }), "default", "live", newKey("sk_live_a")),
      withFields({ credentials: using("live"), keys: { live: storedKey("sk_live_a") } }),
    ],
    [
      "retires the key that a login replaces",
      loginWithKey(storeOf(), "default", "prod", newKey("sk_live_a")),
      withFields({
        credentials: using("prod"),
        keys: { dev, "prod-retired": { ...prod, retired: true }, prod: storedKey("sk_live_a") },
      }),
    ],
    [
      "uses the key that a login gives again, under the name it has",
      loginWithKey(storeOf(), "default", "other", newKey(dev.secret)),
      withFields({ credentials: using("dev") }),
    ],
    [
      "makes the first profile the one in use",
      putProfile(emptyStore, "staging", { ...settings, defaults: { rate: 7 } }),
      {
        version: 1,
        active: "staging",
        profiles: { staging: { ...settings, defaults: { rate: 7 }, credentials: none, keys: {} } },
      },
    ],
    [
      "leaves the profile in use where another is made",
      putProfile(storeOf(), "staging", settings),
      {
        ...storeOf(),
        profiles: { default: profile, staging: { ...settings, credentials: none, keys: {} } },
      },
    ],
    [
      "keeps the keys of a profile whose settings change, and the defaults not named",
      putProfile(storeOf(), "default", { ...settings, defaults: { country: "UG" } }),
      withFields({ path: "/v1/sms/send", defaults: { sender: "ACME", country: "UG", rate: "starter" } }),
    ],
    [
      "changes the base URL of a profile without credentials",
      putProfile(withFields({ credentials: none, keys: {} }), "default", {
        ...settings,
        baseUrl: "https://other.example.com",
      }),
      withFields({
        baseUrl: "https://other.example.com",
        path: "/v1/sms/send",
        credentials: none,
        keys: {},
      }),
    ],
    ["chooses a profile", useProfile(twoProfiles, "staging"), { ...twoProfiles, active: "staging" }],
    ["removes a profile", removeProfile(twoProfiles, "staging"), storeOf()],
    ["removes the last profile", removeProfile(storeOf(), "default"), emptyStore],
    ["lets the account pay", useAccount(storeOf(), "default", account), withFields({ credentials: account })],
    [
      "forgets all credentials and keeps the rest",
      forgetCredentials(storeOf(), "default"),
      withFields({ credentials: none, keys: {} }),
    ],
    [
      "adds a key beside the one in use",
      addKey(storeOf(), "default", "new", newKey("sk_live_new0")),
      withFields({ keys: { dev, prod, new: storedKey("sk_live_new0") } }),
    ],
    [
      "uses an added key where nothing was in use",
      addKey(withFields({ credentials: none, keys: {} }), "default", "a.b", newKey("sk_live_new0")),
      withFields({ credentials: using("a.b"), keys: { "a.b": storedKey("sk_live_new0") } }),
    ],
    [
      "adds a key of a name that every object inherits",
      addKey(storeOf(), "default", "constructor", newKey("sk_live_new0")),
      withFields({ keys: { dev, prod, constructor: storedKey("sk_live_new0") } }),
    ],
    ["chooses a key", useKey(storeOf(), "default", "dev"), withFields({ credentials: using("dev") })],
    [
      "no longer calls a key retired that is chosen",
      useKey(withFields({ keys: { dev: storedKey("sk_test_dev0", true), prod } }), "default", "dev"),
      withFields({ credentials: using("dev") }),
    ],
    [
      "renames the key in use",
      renameKey(storeOf(), "default", "prod", "live"),
      withFields({ credentials: using("live"), keys: { dev, live: prod } }),
    ],
    [
      "renames another key",
      renameKey(storeOf(), "default", "dev", "test"),
      withFields({ keys: { test: dev, prod } }),
    ],
    [
      "rotates the key in use",
      rotateKey(storeOf(), "default", "prod", newKey("sk_live_new0")),
      withFields({
        keys: { dev, prod: storedKey("sk_live_new0"), "prod-retired": storedKey("sk_live_prod", true) },
      }),
    ],
    [
      "rotates a key that is not in use, and leaves the one that is",
      rotateKey(storeOf(), "default", "dev", newKey("sk_test_new0")),
      withFields({
        keys: { prod, dev: storedKey("sk_test_new0"), "dev-retired": storedKey("sk_test_dev0", true) },
      }),
    ],
    ["removes a key", removeKey(storeOf(), "default", "dev"), withFields({ keys: { prod } })],
    [
      "removes the last key",
      removeKey(withFields({ keys: { prod } }), "default", "prod"),
      withFields({ credentials: none, keys: {} }),
    ],
  ])("%s", (_, changed, expected) => {
    expect(changed).toEqual(expected);
    expect(parseStore(formatStore(changed))).toEqual({ kind: "store", store: expected });
  });

  it("keeps every old key through many rotations, under names of at most 64 characters", () => {
    const name = "🔑".repeat(64);
    let store = addKey(withFields({ credentials: none, keys: {} }), "default", name, newKey("sk_live_0"));
    for (let count = 1; count <= 3; count++) {
      store = rotateKey(store, "default", name, newKey(`sk_live_${count}`));
    }
    const stem = "🔑".repeat(48);
    expect(store).toEqual(
      withFields({
        credentials: using(name),
        keys: {
          [name]: storedKey("sk_live_3"),
          [`${stem}-retired`]: storedKey("sk_live_0", true),
          [`${stem}-retired-2`]: storedKey("sk_live_1", true),
          [`${stem}-retired-3`]: storedKey("sk_live_2", true),
        },
      }),
    );
    expect(parseStore(formatStore(store)).kind).toBe("store");
  });

  it.each<[string, string, () => Store]>([
    ["a profile that is not there", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "none")],
    ["a profile that every object inherits", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "constructor")],
    ["the removal of a profile that is not there", "UNKNOWN_PROFILE", () => removeProfile(storeOf(), "none")],
    ["to remove the profile in use", "PROFILE_IN_USE", () => removeProfile(twoProfiles, "default")],
    ["a profile of no name", "INVALID_NAME", () => putProfile(storeOf(), "", settings)],
    ["a prototype for a profile", "INVALID_NAME", () => putProfile(storeOf(), "__proto__", settings)],
    ["an account without a profile", "UNKNOWN_PROFILE", () => useAccount(emptyStore, "default", account)],
    ["to forget what is not there", "UNKNOWN_PROFILE", () => forgetCredentials(emptyStore, "default")],
    [
      "a second key of one name",
      "KEY_EXISTS",
      () => addKey(storeOf(), "default", "dev", newKey("sk_live_canary")),
    ],
    [
      "one key under two names",
      "SAME_KEY",
      () =>
        addKey(
          withFields({ keys: { prod: storedKey("sk_live_canary") } }),
          "default",
          "b",
          newKey("sk_live_canary"),
        ),
    ],
    [
      "a key for the name of a key",
      "INVALID_NAME",
      () => addKey(storeOf(), "default", "sk_live_canary", newKey("sk_live_canary")),
    ],
    ["a key that is not there", "UNKNOWN_KEY", () => useKey(storeOf(), "default", "none")],
    ["a key that every object inherits", "UNKNOWN_KEY", () => useKey(storeOf(), "default", "toString")],
    ["a key in the place of a name", "INVALID_NAME", () => useKey(storeOf(), "default", "sk_live_canary")],
    ["a name that is taken", "KEY_EXISTS", () => renameKey(storeOf(), "default", "dev", "prod")],
    ["to rename what is not there", "UNKNOWN_KEY", () => renameKey(storeOf(), "default", "none", "other")],
    [
      "to rotate what is not there",
      "UNKNOWN_KEY",
      () => rotateKey(storeOf(), "default", "none", newKey("sk_live_canary")),
    ],
    [
      "to rotate a retired key",
      "KEY_RETIRED",
      () =>
        rotateKey(
          withFields({ keys: { prod: storedKey("sk_live_prod", true) } }),
          "default",
          "prod",
          newKey("sk_live_canary"),
        ),
    ],
    [
      "a live key in the place of a test key",
      "OTHER_MODE",
      () => rotateKey(storeOf(), "default", "dev", newKey("sk_live_canary")),
    ],
    [
      "to rotate a key by itself",
      "SAME_KEY",
      () =>
        rotateKey(
          withFields({ keys: { prod: storedKey("sk_live_canary") } }),
          "default",
          "prod",
          newKey("sk_live_canary"),
        ),
    ],
    ["to remove the key in use", "KEY_IN_USE", () => removeKey(storeOf(), "default", "prod")],
    ["to remove what is not there", "UNKNOWN_KEY", () => removeKey(storeOf(), "default", "none")],
  ])("refuses %s: %s", (_, errorCode, edit) => {
    expect(edit).toThrow(expect.objectContaining({ kind: "usage", errorCode }));
    expect(edit).not.toThrow(/canary/);
  });
});
