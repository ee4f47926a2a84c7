import { describe, expect, it } from "vitest";
import { readAddress, requireSafeFor } from "../../src/service/address.ts";
import type { Credentials } from "../../src/service/credentials.ts";

const usual = { origin: "https://sms.example.com", basePath: "", isLoopback: false };

const whole = (base: string) => `, or as ${base}/v1/sms/send`;

describe("readAddress", () => {
  it.each([
    ["https://sms.example.com", usual],
    ["https://SMS.example.com/", usual],
    ["https://sms.example.com/a/b/", { ...usual, basePath: "/a/b" }],
    ["http://127.0.0.1:4010", { origin: "http://127.0.0.1:4010", basePath: "", isLoopback: true }],
    ["sms.example.com:8443", { origin: "https://sms.example.com:8443", basePath: "", isLoopback: false }],
    ["localhost:4010", { origin: "http://localhost:4010", basePath: "", isLoopback: true }],
    ["10.0.0.5:8443", { origin: "https://10.0.0.5:8443", basePath: "", isLoopback: false }],
    ["http://127.8.9.10", { origin: "http://127.8.9.10", basePath: "", isLoopback: true }],
    ["http://localhost:4010", { origin: "http://localhost:4010", basePath: "", isLoopback: true }],
    ["http://[::1]:4010", { origin: "http://[::1]:4010", basePath: "", isLoopback: true }],
    ["http://127.0.0.1.example.com", { origin: "http://127.0.0.1.example.com", basePath: "", isLoopback: false }],
    ["http://localhost.example.com", { origin: "http://localhost.example.com", basePath: "", isLoopback: false }],
    ["https://sms.example.com/v1/sms/send", { ...usual, path: "/v1/sms/send" }],
    ["sms.example.com/api/v1/sms/send/", { ...usual, path: "/api/v1/sms/send" }],
    ["https://sms.example.com/a/v1/sms/send", { ...usual, basePath: "/a", path: "/v1/sms/send" }],
  ])("reads %s", (text, address) => {
    expect(readAddress(text, "SMS_BASE_URL")).toEqual(address);
  });

  it.each([
    ["", "it has no https:// in front"],
    ["https://", "it is not a URL"],
    ["ftp://sms.example.com", "it is not http or https"],
    ['"https://sms.example.com"', "it has quotes around it"],
    ["sk_live_canary", "it has an API key in it"],
    ["https://sms.example.com/api/v1", "sms adds the path /api/v1/sms/send itself"],
    ["https://sms.example.com/api", "sms adds the path /api/v1/sms/send itself"],
    ["https://sms.example.com/api/api/v1/sms/send", "sms adds the path /api/v1/sms/send itself"],
    ["https://sms.example.com/v1/", "sms adds the path /api/v1/sms/send itself"],
    ["https://sms.example.com/v1/sms/send/v1/sms/send", "sms adds the path /api/v1/sms/send itself"],
    ["https://user:canary@sms.example.com", "it has a user name or password"],
    ["https://sms.example.com?key=sk_live_canary", "it has an API key in it"],
    ["https://sms.example.com/?", "it has a query or fragment"],
    ["https://h\n.example.com", "it has white space in it"],
    ["https:\\\\sms.example.com", "it has no https:// in front"],
    ["https:sms.example.com", "it has no https:// in front"],
    ["http://0x7f.1", "it has a character or a form that a URL parser rewrites"],
    ["https://smś.example.com", "it has a character or a form that a URL parser rewrites"],
    ["https://sms.example.com/a/../b", "it has a character or a form that a URL parser rewrites"],
  ])("refuses %j without quoting it: %s", (text, reason) => {
    const message = `the base URL from SMS_BASE_URL is invalid: ${reason}`;
    const error: unknown = expect.objectContaining({ errorCode: "INVALID_BASE_URL", message });
    expect(() => readAddress(text, "SMS_BASE_URL")).toThrow(error);
  });

  it.each([
    ["127.0.0.1:4010/api", `write it as http://127.0.0.1:4010${whole("http://127.0.0.1:4010")}`],
    ["sms.example.com/hunter2", "write it as https://HOST or https://HOST/PATH"],
    [
      "https://sms.example.com/a/api/v1/sms",
      `write it as https://sms.example.com/a${whole("https://sms.example.com/a")}`,
    ],
    ["HTTPS://SMS.example.com/api/v1", `write it as https://sms.example.com${whole("https://sms.example.com")}`],
    ["hunter2", "write it as https://HOST or https://HOST/PATH"],
    ["a:b@sms.example.com", "write it as https://HOST or https://HOST/PATH"],
  ])("says of %j: %s", (text, hint) => {
    expect(() => readAddress(text, "SMS_BASE_URL")).toThrow(expect.objectContaining({ hint }));
  });
});

describe("requireSafeFor", () => {
  const test: Credentials = { kind: "key", key: { secret: "sk_test_a", mode: "test" } };
  const live: Credentials = { kind: "key", key: { secret: "sk_live_a", mode: "live" } };
  const account: Credentials = { kind: "account", email: "sandbox@example.com", password: "p" };
  const check = (credentials: Credentials, url: string) => () =>
    requireSafeFor(credentials, readAddress(url, "SMS_BASE_URL"), {});

  it.each([
    ["a test key", test, "http://sms.example.com"],
    ["a live key", live, "https://sms.example.com"],
    ["a live key", live, "http://127.0.0.1:4010"],
    ["a password", account, "https://sms.example.com"],
    ["a password", account, "http://localhost"],
  ])("allows %s to %3$s", (_, credentials, url) => {
    expect(check(credentials, url)).not.toThrow();
  });

  it.each([
    ["a live key", live],
    ["a password", account],
  ])("refuses %s over plain http", (what, credentials) => {
    const message = `${what} is only sent over https, not to http://sms.example.com`;
    const error: unknown = expect.objectContaining({ errorCode: "INSECURE_BASE_URL", message });
    expect(check(credentials, "http://sms.example.com")).toThrow(error);
  });
});
