import { describe, expect, it } from "vitest";
import { resolve } from "../../src/profiles/resolve.ts";
import type { Profile } from "../../src/profiles/stored.ts";
import { needs } from "../support/needs.ts";
import { profile } from "./stored.ts";

const never = new AbortController().signal;

/** Resolves this profile with these variables. */
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
