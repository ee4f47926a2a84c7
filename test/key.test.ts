import { describe, expect, it } from "vitest";
import { readKey, shownKey } from "../src/key.ts";

describe("readKey", () => {
  it.each([
    ["sk_test_a1b2", { secret: "sk_test_a1b2", mode: "test" }],
    ["sk_live_!~\"'\\{}", { secret: "sk_live_!~\"'\\{}", mode: "live" }],
    ["sk_live_a1b2\n", { secret: "sk_live_a1b2", mode: "live" }],
    ["sk_live_a1b2\r\n", { secret: "sk_live_a1b2", mode: "live" }],
    ["\uFEFF \tsk_live_a1b2\n\n", { secret: "sk_live_a1b2", mode: "live" }],
  ])("reads %j", (text, key) => {
    expect(readKey(text, "SMS_API_KEY")).toEqual(key);
  });

  it.each([
    ["", "it is empty"],
    [" \n", "it is empty"],
    ['"sk_live_a1b2"', "it has quotes around it"],
    ["\u201Csk_live_a1b2\u201D", "it has quotes around it"],
    ["Bearer sk_live_a1b2", 'it has "Bearer" in front'],
    ["Authorization: Bearer sk_live_a1b2", 'it has "Bearer" in front'],
    ["SMS_API_KEY=sk_live_a1b2", "it is a NAME=VALUE line"],
    ["export SMS_API_KEY=sk_live_a1b2", "it is a NAME=VALUE line"],
    ["sk_live_a1\nb2", "it is cut off, or has a character that no key has"],
    ["sk_live_a1 b2", "it is cut off, or has a character that no key has"],
    ["sk_live_", "it is cut off, or has a character that no key has"],
    ["sk_prod_a1b2", "it does not begin with sk_test_ or sk_live_"],
    ["sk_live_ä", "it is cut off, or has a character that no key has"],
    ["sk_live_…a1b2", "it is cut off, or has a character that no key has"],
  ])("refuses %j without quoting it: %s", (text, reason) => {
    const message = `SMS_API_KEY does not contain an API key: ${reason}`;
    const error: unknown = expect.objectContaining({ kind: "usage", errorCode: "INVALID_KEY", message });
    expect(() => readKey(text, "SMS_API_KEY")).toThrow(error);
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
