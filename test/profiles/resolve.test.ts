import { describe, expect, it } from "vitest";
import { readKey } from "../../src/key.ts";
import { credentialsId } from "../../src/profiles/payer.ts";
import { resolve } from "../../src/profiles/resolve.ts";
import type { Profile } from "../../src/profiles/stored.ts";
import { readAddress } from "../../src/service/address.ts";
import type { Credentials } from "../../src/service/credentials.ts";
import { needs } from "../support/needs.ts";
import { profile } from "./stored.ts";

const never = new AbortController().signal;

function resolveWith(environment: Readonly<Record<string, string>>, entry: Profile) {
  const host = {
    environment: { PATH: process.env["PATH"] ?? "", ...environment },
    interruption: () => ({ stop: never, leave: never }),
    readFile: () => new ReadableStream<Uint8Array>(),
    stdin: { isTerminal: () => false, isPipe: () => false, chunks: () => new ReadableStream<Uint8Array>() },
    uid: undefined,
  };
  return resolve(host, { ...entry, name: "default", isStored: true }, { showsWaits: false, note: () => {} });
}

describe("the key that a command prints", needs("POSIX shell"), () => {
  const open = "http://sms.example.com";

  it.each([
    ["SMS_API_KEY_CMD", { SMS_BASE_URL: open, SMS_API_KEY_CMD: "echo sk_live_a" }, profile],
    ["a profile", {}, { ...profile, baseUrl: open, credentials: { kind: "command", command: "echo sk_live_a" } }],
  ] as const)("of %s goes nowhere unencrypted if it is live", async (_, environment, entry) => {
    await expect(resolveWith(environment, entry)).rejects.toMatchObject({ errorCode: "INSECURE_BASE_URL" });
  });

  it("goes over http if it is a test key", async () => {
    const environment = { SMS_BASE_URL: open, SMS_API_KEY_CMD: "echo sk_test_a" };
    expect(await resolveWith(environment, profile)).toMatchObject({ credentials: { key: { secret: "sk_test_a" } } });
  });
});

describe("the path of a profile", () => {
  const other = { ...profile, path: "/v1/sms/send" };

  it.each([
    ["is used at its own base URL", { SMS_BASE_URL: profile.baseUrl ?? "" }, "/v1/sms/send"],
    ["is used at its own base URL, written with a slash", { SMS_BASE_URL: `${profile.baseUrl}/` }, "/v1/sms/send"],
    ["is not used at another base URL", { SMS_BASE_URL: "https://other.example.com" }, "/api/v1/sms/send"],
  ])("%s", async (_, environment, path) => {
    expect(await resolveWith({ SMS_API_KEY: "sk_live_b", ...environment }, other)).toMatchObject({ path });
  });
});

const payerOf = (baseUrl: string, credentials: Credentials) =>
  credentialsId(readAddress(baseUrl, "the test"), credentials);

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
