import { describe, expect, it } from "vitest";
import { readAddress } from "../../src/service/address.ts";
import type { Credentials } from "../../src/service/credentials.ts";
import { readKey } from "../../src/key.ts";
import { payerId } from "../../src/profiles/payer.ts";

const payerOf = (baseUrl: string, credentials: Credentials) => payerId(readAddress(baseUrl, "the test"), credentials);

const withKey = (secret: string): Credentials => ({ kind: "key", key: readKey(secret, "the test") });

const withAccount = (email: string, password: string): Credentials => ({ kind: "account", email, password });

const payer = payerOf("https://sms.example.com", withKey("sk_live_a1b2"));

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
  ])("does not depend on %s", (_, id, other) => {
    expect(id).toBe(other);
  });
});
