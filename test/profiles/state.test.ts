import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readAddress } from "../../src/message/address.ts";
import type { Credentials } from "../../src/message/credentials.ts";
import { readKey } from "../../src/message/key.ts";
import { payerId, readState, type State, updateState } from "../../src/profiles/state.ts";
import { bundle, start, temporaryFolder } from "../files/child.ts";
import { ours } from "../files/this-process.ts";

const at = "2030-01-01T00:00:00.000Z";
const whole: State = {
  balance: { credits: 97, at },
  price: { kesPerCredit: 0.8, at },
  lastUsed: at,
};

const payerOf = (baseUrl: string, credentials: Credentials) => payerId(readAddress(baseUrl, "the test"), credentials);

const withKey = (secret: string): Credentials => ({ kind: "key", key: readKey(secret, "the test") });

const withAccount = (email: string, password: string): Credentials => ({ kind: "account", email, password });

const payer = payerOf("https://sms.example.com", withKey("sk_live_a1b2"));

describe("the state", () => {
  it("is kept in a private file in a private folder", () => {
    const folder = join(temporaryFolder(), "state", "sms");
    updateState(ours(folder), payer, whole);
    expect(readState(ours(folder), payer)).toEqual(whole);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(["payers", join("payers", `${payer}.json`)]);
    const modes = [folder, ...files.map((file) => join(folder, file))].map((path) => statSync(path).mode);
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  });

  it.each<[string, State, State]>([
    ["the updated fields", { balance: { credits: 1, at } }, { ...whole, balance: { credits: 1, at } }],
    ["nothing", {}, whole],
  ])("changes %s and keeps the rest", (_, update, after) => {
    const folder = temporaryFolder();
    updateState(ours(folder), payer, whole);
    updateState(ours(folder), payer, update);
    expect(readState(ours(folder), payer)).toEqual(after);
  });

  it.each<[string, string, State]>([
    ["an empty file", "", {}],
    ["a file cut off", JSON.stringify(whole).slice(0, 30), {}],
    ["another value", "7", {}],
    ["no value", "null", {}],
    ["an array", "[]", {}],
    ["fields of another form", JSON.stringify({ balance: { credits: "9", at }, price: 1, lastUsed: "x" }), {}],
    [
      "one field of another form",
      JSON.stringify({ ...whole, balance: { credits: 9 } }),
      { price: { kesPerCredit: 0.8, at }, lastUsed: at },
    ],
    ["a last line cut off", `${JSON.stringify(whole)}\n\n{"balance":{"cre`, whole],
  ])("ignores %s, and the next update replaces it", (_, text, found) => {
    const folder = temporaryFolder();
    updateState(ours(folder), payer, {});
    writeFileSync(join(folder, "payers", `${payer}.json`), text);
    expect(readState(ours(folder), payer)).toEqual(found);
    updateState(ours(folder), payer, whole);
    expect(readState(ours(folder), payer)).toEqual(whole);
  });

  it("is silently lost if it cannot be written", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    updateState(ours(file), payer, whole);
    expect(readState(ours(file), payer)).toEqual({});
  });

  it("leaves a folder in its place alone", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "payers", `${payer}.json`), { recursive: true });
    updateState(ours(folder), payer, whole);
    expect(readdirSync(join(folder, "payers"))).toEqual([`${payer}.json`]);
  });

  it("is always readable, and short, while four processes write it", async () => {
    const script = await bundle("test/profiles/store-child.ts");
    const folder = temporaryFolder();
    updateState(ours(folder), payer, whole);
    const children = [1, 2, 3, 4].map(() => start(process.execPath, script, "state", folder, payer, "1000"));
    const done = Promise.all(children.map((child) => child.hear()));
    let reads = 0;
    do {
      expect(readState(ours(folder), payer)).toMatchObject({ price: whole.price, lastUsed: at });
      reads++;
    } while (await Promise.race([done.then(() => false), setTimeout(1, true)]));
    expect(await done).toEqual(["done", "done", "done", "done"]);
    expect(reads).toBeGreaterThan(100);
    expect(readState(ours(folder), payer).price).toEqual(whole.price);
    expect(readdirSync(join(folder, "payers"))).toEqual([`${payer}.json`]);
    expect(statSync(join(folder, "payers", `${payer}.json`)).size).toBeLessThan(10_000);
  });
});

describe("payerId", () => {
  it("differs between services and accounts", () => {
    const payers = [
      payer,
      payerOf("https://other.example.com", withKey("sk_live_a1b2")),
      payerOf("https://sms.example.com/base", withKey("sk_live_a1b2")),
      payerOf("https://sms.example.com", withKey("sk_live_b2a1")),
      payerOf("https://sms.example.com", withAccount("a@example.com", "one")),
      payerOf("https://sms.example.com", withAccount("b@example.com", "one")),
    ];
    expect(new Set(payers).size).toBe(payers.length);
    expect(payers.filter((id) => !/^[0-9a-f]{8}$/.test(id))).toEqual([]);
  });

  it.each([
    ["a slash at the end of the base URL", payerOf("https://sms.example.com/", withKey("sk_live_a1b2")), payer],
    [
      "the password, which could be guessed from it",
      payerOf("https://sms.example.com", withAccount("a@example.com", "one")),
      payerOf("https://sms.example.com", withAccount("a@example.com", "two")),
    ],
  ])("does not depend on %s", (_, one, other) => {
    expect(one).toBe(other);
  });
});
