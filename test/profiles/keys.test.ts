import { describe, expect, it } from "vitest";
import { readAddress } from "../../src/service/address.ts";
import { readKey } from "../../src/key.ts";
import { keyEntries } from "../../src/profiles/keys.ts";
import { chosenAddress, ownAddress } from "../../src/profiles/resolve.ts";
import { payerId } from "../../src/profiles/payer.ts";
import { profile } from "./stored.ts";

describe("the keys of a profile", () => {
  function entriesOf(stored: typeof profile | undefined) {
    const key = readKey(profile.keys["prod"]?.secret ?? "", "prod");
    const payer = payerId(readAddress(profile.baseUrl ?? "", "test"), { kind: "key", key });
    return keyEntries(stored, Date.UTC(2026, 0, 11), async (asked) =>
      asked === payer ? { lastUsed: "2026-01-05T00:00:00.000Z" } : {},
    );
  }

  it("are listed with what is known of each, and without their secrets", async () => {
    const entries = await entriesOf(profile);
    expect(entries.map(({ name, active, lastUsed }) => [name, active, lastUsed])).toEqual([
      ["dev", false, null],
      ["prod", true, "2026-01-05T00:00:00.000Z"],
    ]);
    for (const { secret } of Object.values(profile.keys)) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it("are none without a profile", async () => {
    expect(await entriesOf(undefined)).toEqual([]);
  });
});

describe("the service of the keys", () => {
  const environment = { SMS_BASE_URL: "https://other.example.com" };
  const refusal = expect.objectContaining({ kind: "no-credentials", errorCode: "OTHER_BASE_URL" });

  it("is the profile's own", () => {
    const { origin, basePath } = ownAddress({ name: "default", profile }, {});
    expect(origin + basePath).toBe(profile.baseUrl);
  });

  it("is never another one, which only the environment names", () => {
    const { baseUrl, ...without } = profile;
    expect(baseUrl).toBeDefined();
    for (const stored of [profile, without, undefined]) {
      expect(() => ownAddress({ name: "default", profile: stored }, environment)).toThrow(refusal);
      expect(chosenAddress({ name: "default", profile: stored }, environment).origin).toBe("https://other.example.com");
    }
  });

  it("is unknown without a profile", () => {
    expect(() => ownAddress({ name: "default", profile: undefined }, {})).toThrow(
      expect.objectContaining({ errorCode: "NO_BASE_URL" }),
    );
  });
});
