import { describe, expect, it } from "vitest";
import { nameRule, requireName } from "../../src/profiles/stored.ts";

describe("requireName", () => {
  it.each([
    "prod",
    "a.b.c",
    "constructor",
    "toString",
    "Production server 2",
    "名前",
    "🔑",
    "x".repeat(64),
    "🔑".repeat(64),
  ])("takes %j", (name) => {
    expect(requireName(name, "key")).toBe(name);
  });

  it.each([
    "",
    " ",
    " prod",
    "prod ",
    "a  b",
    "-prod",
    "a\nb",
    "a\u0000b",
    "a\u009Bb",
    "a\u202Eb",
    "a\u2028b",
    "a\u00A0b",
    "\uD83D",
    "x".repeat(65),
    "__proto__",
    "sk_live_a1b2",
    "my sk_test_a1b2",
  ])("refuses %j without quoting it", (name) => {
    expect(() => requireName(name, "profile")).toThrow(
      expect.objectContaining({
        kind: "usage",
        errorCode: "INVALID_NAME",
        message: "invalid profile name",
        hint: nameRule,
      }),
    );
  });

  it("says of a key in place of its name how a key is given", () => {
    expect(() => requireName("sk_live_a1b2", "key")).toThrow(
      expect.objectContaining({
        message: "this is a key, not its name",
        hint: expect.stringContaining("revoke this key"),
      }),
    );
  });
});
