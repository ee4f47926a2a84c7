import { describe, expect, it } from "vitest";
import { readAddress, requireSafeFor } from "../../src/core/address.ts";
import type { Credentials } from "../../src/core/credentials.ts";

describe("readAddress", () => {
  it.each([
    ["https://sms.example.com", { origin: "https://sms.example.com", basePath: "", isLoopback: false }],
    ["https://SMS.example.com/", { origin: "https://sms.example.com", basePath: "", isLoopback: false }],
    ["https://sms.example.com:443", { origin: "https://sms.example.com", basePath: "", isLoopback: false }],
    [
      "https://sms.example.com/a/b/",
      { origin: "https://sms.example.com", basePath: "/a/b", isLoopback: false },
    ],
    ["http://127.0.0.1:4010", { origin: "http://127.0.0.1:4010", basePath: "", isLoopback: true }],
    ["http://127.8.9.10", { origin: "http://127.8.9.10", basePath: "", isLoopback: true }],
    ["http://localhost:4010", { origin: "http://localhost:4010", basePath: "", isLoopback: true }],
    ["http://[::1]:4010", { origin: "http://[::1]:4010", basePath: "", isLoopback: true }],
    [
      "http://127.0.0.1.example.com",
      { origin: "http://127.0.0.1.example.com", basePath: "", isLoopback: false },
    ],
    [
      "http://localhost.example.com",
      { origin: "http://localhost.example.com", basePath: "", isLoopback: false },
    ],
  ])("reads %s", (text, address) => {
    expect(readAddress(text, "SMS_BASE_URL")).toEqual(address);
  });

  it.each([
    ["sms.example.com", "it is not a URL"],
    ["", "it is not a URL"],
    ["ftp://sms.example.com", "it is not http or https"],
    ["https://user:sk_live_canary@sms.example.com", "it has a user or password in it"],
    ["https://sms.example.com?key=sk_live_canary", "it has a query or a fragment"],
    ["https://sms.example.com/?", "it has a query or a fragment"],
    ["https://sms.example.com/#a", "it has a query or a fragment"],
    ["https://h\n.example.com", "its host is not what it looks like"],
    [" https://sms.example.com", "its host is not what it looks like"],
    ["https://sms.example.com ", "its host is not what it looks like"],
    ["https:\\\\sms.example.com", "its host is not what it looks like"],
    ["https:sms.example.com", "its host is not what it looks like"],
    ["http://0x7f.1", "its host is not what it looks like"],
    ["http://2130706433", "its host is not what it looks like"],
    ["https://smś.example.com", "its host is not what it looks like"],
    ["https://sms.example.com/a/../b", "its path is not what it looks like"],
    ["https://sms.example.com/a b", "its path is not what it looks like"],
  ])("refuses %j: %s, without quoting it", (text, reason) => {
    expect(() => readAddress(text, "SMS_BASE_URL")).toThrow(
      expect.objectContaining({
        errorCode: "INVALID_BASE_URL",
        message: `the base URL of SMS_BASE_URL cannot be used: ${reason}`,
      }),
    );
  });
});

describe("requireSafeFor", () => {
  const test: Credentials = { kind: "key", key: { secret: "sk_test_a", mode: "test" } };
  const live: Credentials = { kind: "key", key: { secret: "sk_live_a", mode: "live" } };
  const account: Credentials = { kind: "account", email: "sandbox@example.com", password: "p" };

  it.each([
    ["a test key", test, "http://sms.example.com"],
    ["a live key", live, "https://sms.example.com"],
    ["a live key", live, "http://127.0.0.1:4010"],
    ["a password", account, "https://sms.example.com"],
    ["a password", account, "http://localhost"],
  ])("lets %s go to %3$s", (_, credentials, url) => {
    expect(() => requireSafeFor(credentials, readAddress(url, "SMS_BASE_URL"))).not.toThrow();
  });

  it.each([
    ["a live key", live],
    ["a password", account],
  ])("does not let %s go over plain http", (what, credentials) => {
    expect(() => requireSafeFor(credentials, readAddress("http://sms.example.com", "SMS_BASE_URL"))).toThrow(
      expect.objectContaining({
        errorCode: "INSECURE_BASE_URL",
        message: `${what} is only sent over https, and http://sms.example.com is not`,
      }),
    );
  });
});
