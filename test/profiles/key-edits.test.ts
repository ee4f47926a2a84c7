import { describe, expect, it } from "vitest";
import { readKey } from "../../src/key.ts";
import { addKey, removeKey, renameKey, rotateKey, useKey } from "../../src/profiles/edits.ts";
import { payerId } from "../../src/profiles/payer.ts";
import { readAddress } from "../../src/service/address.ts";
import { formatStore, parseStore } from "../../src/profiles/read.ts";
import { emptyStore, type Profile, type Store } from "../../src/profiles/stored.ts";
import { dev, newKey, none, prod, storedKey, storeOf, using, withFields } from "./stored.ts";

/** A key that replaced another, or one that itself replaced `first`. */
function rotated(secret: string, first: Profile["keys"][string]): Profile["keys"][string] {
  const rotatedFrom = payerId(readAddress(first.baseUrl, "the key"), {
    kind: "key",
    key: readKey(first.secret, "the key"),
  });
  return { ...storedKey(secret), rotatedFrom };
}

/** A store whose profile moved, and kept its keys. */
const moved = withFields({ baseUrl: "https://other.example.com" });

describe("an edit of the keys", () => {
  it.each<[string, Store, Store]>([
    [
      "a key is added before there is a profile",
      addKey(emptyStore, { profile: "default", name: "a" }, newKey("sk_live_a")),
      storeOf({
        baseUrl: "https://sms.example.com",
        path: "/api/v1/sms/send",
        credentials: using("a"),
        defaults: {},
        keys: { a: storedKey("sk_live_a") },
      }),
    ],
    [
      "a key is added beside the one in use",
      addKey(storeOf(), { profile: "default", name: "new" }, newKey("sk_live_new0")),
      withFields({ keys: { dev, prod, new: storedKey("sk_live_new0") } }),
    ],
    [
      "an added key is used if none was in use",
      addKey(withFields({ credentials: none, keys: {} }), { profile: "default", name: "a.b" }, newKey("sk_live_new0")),
      withFields({ credentials: using("a.b"), keys: { "a.b": storedKey("sk_live_new0") } }),
    ],
    [
      "a key called constructor is added",
      addKey(storeOf(), { profile: "default", name: "constructor" }, newKey("sk_live_new0")),
      withFields({ keys: { dev, prod, constructor: storedKey("sk_live_new0") } }),
    ],
    ["a key is chosen", useKey(storeOf(), "default", "dev"), withFields({ credentials: using("dev") })],
    [
      "a chosen key is no longer retired",
      useKey(withFields({ keys: { dev: storedKey("sk_test_dev0", true), prod } }), "default", "dev"),
      withFields({ credentials: using("dev") }),
    ],
    [
      "the key in use is renamed",
      renameKey(storeOf(), "default", "prod", "live"),
      withFields({ credentials: using("live"), keys: { dev, live: prod } }),
    ],
    [
      "another key is renamed",
      renameKey(storeOf(), "default", "dev", "test"),
      withFields({ keys: { test: dev, prod } }),
    ],
    [
      "the key in use is rotated",
      rotateKey(storeOf(), { profile: "default", name: "prod" }, newKey("sk_live_new0")),
      withFields({
        keys: { dev, prod: rotated("sk_live_new0", prod), "prod-retired": storedKey("sk_live_prod", true) },
      }),
    ],
    [
      "another key is rotated, and the one in use stays",
      rotateKey(storeOf(), { profile: "default", name: "dev" }, newKey("sk_test_new0")),
      withFields({
        keys: { prod, dev: rotated("sk_test_new0", dev), "dev-retired": storedKey("sk_test_dev0", true) },
      }),
    ],
    ["a key is removed", removeKey(storeOf(), "default", "dev"), withFields({ keys: { prod } })],
    [
      "the last key is removed",
      removeKey(withFields({ keys: { prod } }), "default", "prod"),
      withFields({ credentials: none, keys: {} }),
    ],
  ])("%s", (_, changed, expected) => {
    expect(changed).toEqual(expected);
    expect(parseStore(Buffer.from(formatStore(changed)), "credentials.json")).toEqual(expected);
  });

  it("three rotations keep every old key, under names of at most 64 characters", () => {
    const name = "🔑".repeat(64);
    let store = addKey(withFields({ credentials: none, keys: {} }), { profile: "default", name }, newKey("sk_live_0"));
    for (let count = 1; count <= 3; count++) {
      store = rotateKey(store, { profile: "default", name }, newKey(`sk_live_${count}`));
    }
    const stem = "🔑".repeat(48);
    const first = storedKey("sk_live_0");
    expect(store).toEqual(
      withFields({
        credentials: using(name),
        keys: {
          [name]: rotated("sk_live_3", first),
          [`${stem}-retired`]: storedKey("sk_live_0", true),
          [`${stem}-retired-2`]: { ...rotated("sk_live_1", first), retired: true },
          [`${stem}-retired-3`]: { ...rotated("sk_live_2", first), retired: true },
        },
      }),
    );
    expect(parseStore(Buffer.from(formatStore(store)), "credentials.json")).toEqual(store);
  });

  it.each<[string, string, () => Store]>([
    [
      "two keys with one name",
      "KEY_EXISTS",
      () => addKey(storeOf(), { profile: "default", name: "dev" }, newKey("sk_live_canary")),
    ],
    [
      "one key under two names",
      "SAME_KEY",
      () =>
        addKey(
          withFields({ keys: { prod: storedKey("sk_live_canary") } }),
          { profile: "default", name: "b" },
          newKey("sk_live_canary"),
        ),
    ],
    [
      "a key as the name of a key",
      "INVALID_NAME",
      () => addKey(storeOf(), { profile: "default", name: "sk_live_canary" }, newKey("sk_live_canary")),
    ],
    ["to use an unknown key", "UNKNOWN_KEY", () => useKey(storeOf(), "default", "none")],
    ["to use a key called toString", "UNKNOWN_KEY", () => useKey(storeOf(), "default", "toString")],
    ["a key in place of a name", "INVALID_NAME", () => useKey(storeOf(), "default", "sk_live_canary")],
    ["to use the key of another base URL", "OTHER_BASE_URL", () => useKey(moved, "default", "dev")],
    [
      "to rotate the key of another base URL",
      "OTHER_BASE_URL",
      () => rotateKey(moved, { profile: "default", name: "dev" }, newKey("sk_test_canary")),
    ],
    ["to rename a key to a name in use", "KEY_EXISTS", () => renameKey(storeOf(), "default", "dev", "prod")],
    ["to rename an unknown key", "UNKNOWN_KEY", () => renameKey(storeOf(), "default", "none", "other")],
    [
      "to rotate an unknown key",
      "UNKNOWN_KEY",
      () => rotateKey(storeOf(), { profile: "default", name: "none" }, newKey("sk_live_canary")),
    ],
    [
      "to rotate a retired key",
      "KEY_RETIRED",
      () =>
        rotateKey(
          withFields({ keys: { prod: storedKey("sk_live_prod", true) } }),
          { profile: "default", name: "prod" },
          newKey("sk_live_canary"),
        ),
    ],
    [
      "a live key in place of a test key",
      "OTHER_MODE",
      () => rotateKey(storeOf(), { profile: "default", name: "dev" }, newKey("sk_live_canary")),
    ],
    [
      "to replace a key with itself",
      "SAME_KEY",
      () =>
        rotateKey(
          withFields({ keys: { prod: storedKey("sk_live_canary") } }),
          { profile: "default", name: "prod" },
          newKey("sk_live_canary"),
        ),
    ],
    ["to remove the key in use", "KEY_IN_USE", () => removeKey(storeOf(), "default", "prod")],
    ["to remove an unknown key", "UNKNOWN_KEY", () => removeKey(storeOf(), "default", "none")],
  ])("refuses %s: %s", (_, errorCode, edit) => {
    expect(edit).toThrow(expect.objectContaining({ errorCode }));
    expect(edit).not.toThrow(/canary/);
  });
});
