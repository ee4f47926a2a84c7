import { writeFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { readKey } from "../../src/key.ts";
import {
  addKey,
  editProfile,
  logIn,
  removeKey,
  removeProfile,
  renameKey,
  renameProfile,
  rotateKey,
  useKey,
  useProfile,
} from "../../src/profiles/edits.ts";
import { credentialsId } from "../../src/profiles/payer.ts";
import { formatStore, readStore, storePath } from "../../src/profiles/read.ts";
import {
  emptyStore,
  findKey,
  findProfile,
  newProfile,
  type Profile,
  type Store,
  type ProfileKey,
} from "../../src/profiles/stored.ts";
import { readAddress } from "../../src/service/address.ts";
import { temporaryFolder } from "../support/folders.ts";
import { adding, bare, dev, prod, profile, storedKey, storeOf, using } from "./stored.ts";

const account = { kind: "account", email: "a@example.com", password: "canary" } as const;
const baseUrl = "https://sms.example.com";
const login = { name: "default", baseUrl, mayMove: false, defaults: {}, credentials: account };
const other = "https://other.example.com";
const path = "/v1/sms/send";
const [next, canary] = [storedKey("sk_live_new0"), storedKey("sk_live_canary")];

const retired = (key: ProfileKey): ProfileKey => ({ ...key, retired: true });

/** The key that replaced `first`, or one that itself replaced `first`. */
function replacement(secret: string, first: ProfileKey): ProfileKey {
  const key = readKey(first.secret, "the key");
  return {
    ...storedKey(secret),
    rotatedFrom: credentialsId(readAddress(first.baseUrl, "the key"), { kind: "key", key }),
  };
}

/** The store as the file of another process has it. */
function readBack(store: Store): Store | undefined {
  const folder = temporaryFolder();
  writeFileSync(storePath(folder), formatStore(store), { mode: 0o600 });
  return readStore(folder, process.getuid?.());
}

const profileElsewhere = { ...profile, baseUrl: other };
const withCanary = { ...profile, keys: { prod: canary } };

describe("an edit of a profile", () => {
  it.each<{ name: string; after: Profile; expected: Profile }>([
    {
      name: "a login to another base URL retires all keys and removes none",
      after: logIn({ ...profile, path }, { ...login, baseUrl: other, mayMove: true }),
      expected: { ...profile, baseUrl: other, credentials: account, keys: { dev: retired(dev), prod: retired(prod) } },
    },
    {
      name: "a login with a new key retires the old one of that name",
      after: logIn({ ...profile, keys: { live: prod } }, { ...login, credentials: next }),
      expected: { ...profile, credentials: using("live"), keys: { live: next, "live-retired": retired(prod) } },
    },
    {
      name: "a login with a stored key uses it under its stored name",
      after: logIn(profile, { ...login, credentials: dev }),
      expected: { ...profile, credentials: using("dev") },
    },
    {
      name: "a login keeps the keys and the other defaults, and takes the path that the service has",
      after: logIn(profile, { ...login, path, defaults: { country: "UG", sender: undefined } }),
      expected: { ...profile, path, defaults: { ...profile.defaults, country: "UG" }, credentials: account },
    },
    {
      name: "a key is added before there is a profile",
      after: addKey(newProfile, "a", prod),
      expected: { ...newProfile, baseUrl, credentials: using("a"), keys: { a: prod } },
    },
    {
      name: "a key called constructor is added beside the one in use",
      after: addKey(profile, "constructor", next),
      expected: { ...profile, keys: { dev, prod, constructor: next } },
    },
    {
      name: "the key in use is rotated",
      after: rotateKey(profile, "prod", next),
      expected: { ...profile, keys: { dev, prod: replacement("sk_live_new0", prod), "prod-retired": retired(prod) } },
    },
    { name: "the last key is removed", after: removeKey({ ...profile, keys: { prod } }, "prod"), expected: bare },
  ])("$name", ({ after, expected }) => {
    expect(after).toEqual(expected);
    expect(readBack(storeOf(after))).toEqual(storeOf(expected));
  });

  test("three rotations keep every old key, under names of at most 64 characters", () => {
    const name = "🔑".repeat(64);
    const stem = "🔑".repeat(48);
    const first = storedKey("sk_live_0");
    let after = addKey(bare, name, first);

    for (const secret of ["sk_live_1", "sk_live_2", "sk_live_3"]) after = rotateKey(after, name, storedKey(secret));

    expect(after.keys).toEqual({
      [name]: replacement("sk_live_3", first),
      [`${stem}-retired`]: retired(first),
      [`${stem}-retired-2`]: retired(replacement("sk_live_1", first)),
      [`${stem}-retired-3`]: retired(replacement("sk_live_2", first)),
    });
    expect(readBack(storeOf(after))).toEqual(storeOf(after));
  });

  it.each<[string, string, () => Profile]>([
    ["to move a profile unasked", "PROFILE_MOVES", () => logIn(profile, { ...login, baseUrl: other })],
    ["two keys with one name", "KEY_EXISTS", () => addKey(profile, "dev", canary)],
    ["one key under two names", "SAME_KEY", () => addKey(withCanary, "b", canary)],
    ["a key as the name of a key", "INVALID_NAME", () => addKey(profile, "sk_live_canary", canary)],
    ["to use an unknown key", "UNKNOWN_KEY", () => useKey(profile, "none")],
    ["to use a key called toString", "UNKNOWN_KEY", () => useKey(profile, "toString")],
    ["a key in place of a name", "INVALID_NAME", () => useKey(profile, "sk_live_canary")],
    ["to use the key of another base URL", "OTHER_BASE_URL", () => useKey(profileElsewhere, "dev")],
    ["to rotate the key of another base URL", "OTHER_BASE_URL", () => rotateKey(profileElsewhere, "dev", canary)],
    ["to rename a key to a name in use", "KEY_EXISTS", () => renameKey(profile, "dev", "prod")],
    ["to rename an unknown key", "UNKNOWN_KEY", () => renameKey(profile, "none", "other")],
    ["to rotate an unknown key", "UNKNOWN_KEY", () => rotateKey(profile, "none", canary)],
    ["to rotate retired keys", "KEY_RETIRED", () => rotateKey({ ...profile, keys: { a: retired(prod) } }, "a", next)],
    ["a live key in place of a test key", "OTHER_MODE", () => rotateKey(profile, "dev", canary)],
    ["to replace a key with itself", "SAME_KEY", () => rotateKey(withCanary, "prod", canary)],
  ])("refuses %s: %s", (_, errorCode, edit) => {
    expect(edit).toThrow(expect.objectContaining({ errorCode }));
    expect(edit).not.toThrow(/canary/);
  });
});

describe("an edit of the store", () => {
  const twoProfiles: Store = { ...storeOf(), profiles: { default: profile, staging: profile } };
  const same = (before: Profile) => before;

  it.each<[string, Store, Store]>([
    [
      "the first profile becomes the one in use",
      editProfile(emptyStore, "staging", same),
      { version: 1, active: "staging", profiles: { staging: newProfile } },
    ],
    [
      "a second profile does not become the one in use",
      editProfile(storeOf(), "staging", same),
      { ...storeOf(), profiles: { default: profile, staging: newProfile } },
    ],
    [
      "a profile is renamed, and stays the one in use and the account that pays",
      renameProfile(renameProfile(twoProfiles, "default", "shop"), "shop", "main"),
      { ...twoProfiles, active: "main", profiles: { main: { ...profile, formerName: "default" }, staging: profile } },
    ],
    ["a profile is used", useProfile(twoProfiles, "staging"), { ...twoProfiles, active: "staging" }],
    ["a profile is removed", removeProfile(twoProfiles, "staging"), storeOf()],
    ["the last profile is removed", removeProfile(storeOf(), "default"), emptyStore],
  ])("%s", (_, after, expected) => {
    expect(after).toEqual(expected);
    expect(readBack(after)).toEqual(expected);
  });

  it.each<[string, string, () => Store]>([
    ["to use an unknown profile", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "none")],
    ["to use a profile called constructor", "UNKNOWN_PROFILE", () => useProfile(storeOf(), "constructor")],
    ["to rename to a profile that exists", "PROFILE_EXISTS", () => renameProfile(twoProfiles, "default", "staging")],
    ["a profile with an empty name", "INVALID_NAME", () => editProfile(storeOf(), "", same)],
    ["a profile called __proto__", "INVALID_NAME", () => editProfile(storeOf(), "__proto__", same)],
    ["a key with the name of another", "KEY_EXISTS", () => adding("dev")(storeOf())],
  ])("refuses %s: %s", (_, errorCode, edit) => {
    expect(edit).toThrow(expect.objectContaining({ kind: "usage", errorCode }));
  });
});

describe("a name", () => {
  const names = ["prod", "a.b.c", "constructor", "toString", "Production server 2", "名前", "🔑"];

  it.each([...names, "x".repeat(64), "🔑".repeat(64)])("takes %j", (name) => {
    expect(findKey({ ...newProfile, keys: { [name]: dev } }, name)).toBe(dev);
  });

  const malformed = ["", " ", " prod", "prod ", "a  b", "-prod", "\uD83D", "x".repeat(65), "__proto__"];
  const invisible = ["\n", "\u0000", "\u009B", "\u202E", "\u2028", "\u00A0"].map((character) => `a${character}b`);
  const keys = ["sk_live_a1b2", "my sk_test_a1b2"];

  const hint = expect.stringContaining("1 to 64 printable characters");

  it.each([...malformed, ...invisible, ...keys])("refuses %j without quoting it", (name) => {
    const fields = { kind: "usage", errorCode: "INVALID_NAME", message: "invalid profile name", hint };
    expect(() => findProfile(emptyStore, name)).toThrow(expect.objectContaining(fields));
  });

  it("says of a key in place of its name how a key is given", () => {
    const fields = { message: "this is a key, not its name", hint: expect.stringContaining("revoke this key") };
    expect(() => findKey(newProfile, "sk_live_a1b2")).toThrow(expect.objectContaining(fields));
  });
});
