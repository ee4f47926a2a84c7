import { describe, expect, it } from "vitest";
import { nameRule, requireName } from "../../src/profiles/stored.ts";

describe("requireName", () => {
  const names = ["prod", "a.b.c", "constructor", "toString", "Production server 2", "名前", "🔑"];

  it.each([...names, "x".repeat(64), "🔑".repeat(64)])("takes %j", (name) => {
    expect(requireName(name, "key")).toBe(name);
  });

  const malformed = ["", " ", " prod", "prod ", "a  b", "-prod", "\uD83D", "x".repeat(65), "__proto__"];
  const invisible = ["\n", "\u0000", "\u009B", "\u202E", "\u2028", "\u00A0"].map((character) => `a${character}b`);
  const keys = ["sk_live_a1b2", "my sk_test_a1b2"];

  it.each([...malformed, ...invisible, ...keys])("refuses %j without quoting it", (name) => {
    const message = "invalid profile name";
    const error: unknown = expect.objectContaining({
      kind: "usage",
      errorCode: "INVALID_NAME",
      message,
      hint: nameRule,
    });
    expect(() => requireName(name, "profile")).toThrow(error);
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
