import { describe, expect, it } from "vitest";
import { readKey, shownKey } from "../../src/core/key.ts";

describe("readKey", () => {
  it.each([
    ["sk_test_a1b2", { secret: "sk_test_a1b2", mode: "test" }],
    ["sk_live_!~\"'\\{}", { secret: "sk_live_!~\"'\\{}", mode: "live" }],
    ["sk_live_a1b2\n", { secret: "sk_live_a1b2", mode: "live" }],
    ["sk_live_a1b2\r\n", { secret: "sk_live_a1b2", mode: "live" }],
  ])("reads %j", (text, key) => {
    expect(readKey(text, "SMS_API_KEY")).toEqual(key);
  });

  it.each([
    "",
    "sk_live_",
    "sk_prod_a1b2",
    " sk_live_a1b2",
    "sk_live_a1 b2",
    "sk_live_a1b2\n\n",
    "sk_live_a1\nb2",
    "sk_live_a1b2\r",
    "sk_live_ä",
    "Bearer sk_live_a1b2",
  ])("refuses %j without quoting it", (text) => {
    expect(() => readKey(text, "SMS_API_KEY")).toThrow(
      expect.objectContaining({
        kind: "usage",
        errorCode: "INVALID_KEY",
        message: "SMS_API_KEY does not contain an API key",
      }),
    );
  });
});

describe("shownKey", () => {
  it.each([
    ["sk_live_0123456789a1b2", "sk_live_…a1b2"],
    ["sk_test_sandbox", "sk_test_…dbox"],
    ["sk_test_abcd", "sk_test_…"],
  ])("shows %s as %s", (secret, shown) => {
    expect(shownKey(secret)).toBe(shown);
  });
});
