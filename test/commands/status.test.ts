import { describe, expect, it } from "vitest";
import { withSandbox } from "../support/with-sandbox.ts";

const to = "+254712345678";
const { sandbox, run, json, login } = withSandbox();

describe("a send", () => {
  it("uses the environment before the profile, as status shows", async () => {
    await login();
    const environment = { SMS_API_KEY: "sk_live_sandbox", SMS_BASE_URL: sandbox().url };

    const { value } = await json(["status"], { environment });

    expect(value).toEqual({
      profile: "default",
      baseUrl: sandbox().url,
      path: "/api/v1/sms/send",
      mode: "live",
      key: { name: null, shown: "sk_live_…dbox", ageDays: null },
      sender: null,
      country: null,
      rate: null,
      history: "on",
      sandbox: true,
      sources: { baseUrl: "SMS_BASE_URL", credentials: "SMS_API_KEY" },
      balance: null,
      kesPerCredit: null,
    });
  });

  it("uses --profile before SMS_PROFILE before the profile in use", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    const environment = { SMS_PROFILE: "shop" };
    const profileOf = async (args: readonly string[], machine = {}) =>
      (await json(["status", ...args], machine)).value.profile;

    expect(await profileOf([])).toBe("default");
    expect(await profileOf([], { environment })).toBe("shop");
    expect(await profileOf(["-p", "default"], { environment })).toBe("default");
    await run(["profiles", "use", "shop"]);
    expect(await profileOf([])).toBe("shop");
  });

  it("shows the limit of a day, and with a key command what is spent once that has run", async () => {
    await run(["login", "--base-url", sandbox().url, "--key-command", "printf sk_live_sandbox", "--no-verify"]);
    await run(["profiles", "set", "daily-credits", "7"]);
    await run(["profiles", "set", "zone", "Africa/Nairobi"]);
    const environment = { PATH: process.env["PATH"] ?? "" };
    const other = { ...environment, SMS_API_KEY_CMD: "printf sk_live_other", SMS_BASE_URL: sandbox().url };
    const ofProfile = { limit: 7, spent: 0, reserved: 0, left: 7, endsAt: expect.stringMatching(/T21:00:00.000Z$/) };
    expect((await json(["status"], { environment })).value.dailyCredits).toMatchObject(ofProfile);
    const unknown = { ...ofProfile, spent: null, reserved: null, left: null };
    expect((await json(["status"], { environment: other })).value).toMatchObject({ mode: null, dailyCredits: unknown });
    expect((await run(["status"], { environment: other })).stdout).toMatch(
      /7 credits a day \(profile "default"\): it ends at .* 00:00 in Africa\/Nairobi\n +Today +not known without the key/,
    );
    expect((await json(["status", "--check"], { environment: other })).value).toMatchObject({
      mode: "live",
      dailyCredits: ofProfile,
    });
  });

  it("gives preview and a dry run the price, with its age", async () => {
    await login();
    await run(["send", "--to", to, "-m", "Hi"]);
    const text = "a".repeat(161);
    expect((await run(["preview", "-m", text])).stdout).toContain("2 credits, KES 1.60 at today's price");
    expect((await json(["preview", "-m", text])).value).toMatchObject({ kesPerCredit: 0.8 });
    expect((await run(["send", "--dry-run", "--to", to, "-m", text])).stdout).toContain(
      "a live key would be charged 2 credits, KES 1.60 at today's price",
    );
  });

  it("names the key on a 401", async () => {
    await login("sk_test_wrong1", ["--no-verify"]);

    const { code, stderr } = await run(["send", "--to", to, "-m", "Hi"]);

    expect(code).toBe(4);
    expect(stderr).toContain('the credentials came from key "test" of profile "default"');
  });
});

describe("the defaults of a profile", () => {
  const elsewhere = { SMS_BASE_URL: "https://other.example.com", SMS_API_KEY: "sk_live_other" };

  it.each([
    ["its own base URL", () => ({ SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_live_other" }), true],
    ["its own key at another base URL", () => ({ ...elsewhere, SMS_API_KEY: "sk_live_sandbox" }), true],
    ["another account", () => elsewhere, false],
  ])("with %s", async (_, environment, hasAll) => {
    await login("sk_live_sandbox", ["--sender", "ACME", "--country", "KE", "--rate", "500"]);
    const settings = { hours: "08:00-20:00", zone: "Africa/Nairobi", "daily-credits": "7", "only-to": to };
    for (const [name, value] of Object.entries(settings)) await run(["profiles", "set", name, value]);

    const { value } = await json(["status"], { environment: environment() });
    expect(value).toMatchObject({ country: "KE", onlyTo: [{ source: "profile", list: to }] });
    const all = { sender: "ACME", rate: 500, hours: "08:00-20:00", dailyCredits: expect.anything() as unknown };
    const none = { sender: null, rate: null, hours: undefined, dailyCredits: undefined };
    const { sender, rate, hours, dailyCredits } = value;
    expect({ sender, rate, hours, dailyCredits }).toEqual(hasAll ? all : none);
  });

  it("hold with the account of the environment if the profile has none of its own", async () => {
    await run(["profiles", "set", "sender", "ACME"]);
    expect((await json(["status"], { environment: elsewhere })).value).toMatchObject({ sender: "ACME" });
  });
});

describe("the environment", () => {
  it("does not hide what a login stored", async () => {
    const args = ["login", "--base-url", sandbox().url, "--with-key"];
    const machine = { stdin: "sk_test_sandbox", environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const { code, stdout, stderr } = await run(args, machine);
    expect(code).toBe(0);
    expect(stdout).toContain('sk_test_…dbox, 0 days old (from key "test" of profile "default")');
    expect((await json(args, machine)).value.warnings).toEqual([
      "SMS_API_KEY overrides profile default in this shell.",
    ]);
    expect(stderr).toBe(
      "Warning: SMS_API_KEY overrides profile default in this shell.\nA send is not charged now: a sandbox answers there.\n",
    );
  });

  it("does not break JSON if SMS_API_KEY is not a key", async () => {
    const { stdout } = await run(["preview", "--json", "-m", "hello 1"], { environment: { SMS_API_KEY: "1" } });

    expect(JSON.parse(stdout)).toMatchObject({ segments: 1 });
  });
});
