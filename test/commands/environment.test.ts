import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { variables } from "../../src/commands/help/texts.ts";
import { unreadVariables } from "../../src/profiles/environment.ts";
import { sms } from "../support/machine.ts";
import { temporaryFolder } from "../support/folders.ts";

const real = ["send", "--to", "+254712345678", "-m", "Hi"];
const send = [...real, "--dry-run"];
const credentials = { SMS_BASE_URL: "http://127.0.0.1:9", SMS_API_KEY: "sk_test_abc" };

/** The environment of somebody who has logged in with a live key. */
async function withLogin() {
  const environment = { SMS_CONFIG_DIR: temporaryFolder() };
  const login = ["login", "--with-key", "--no-verify", "--base-url", "https://sms.example.com"];
  await sms(login, { environment, stdin: "sk_live_abc" });
  return environment;
}

describe("a variable that is set but empty", () => {
  it.each([
    ["SMS_BASE_URL", send],
    ["SMS_PROFILE", send],
    ["SMS_SENDER", send],
    ["SMS_COUNTRY", ["send", "--to", "0712345678", "-m", "Hi", "--dry-run"]],
    ["SMS_EXPECT", real],
    ["SMS_ONLY_TO", real],
    ["SMS_HISTORY", ["send", "--to", "+254712345678", "-m", "Hi"]],
    ["SMS_CONFIG_DIR", ["keys", "list"]],
    ["SMS_BASE_URL", ["sandbox", "messages"]],
  ])("is named by its name: %s, in %j", async (name, args) => {
    const { code, stderr } = await sms(args, { environment: { ...credentials, [name]: " " } });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`: ${name} is set but empty\n`)]);
  });

  it("does not matter where a flag takes its place", async () => {
    const environment = { ...credentials, SMS_CONFIG_DIR: "/nonexistent", SMS_PROFILE: "" };
    const { stderr } = await sms([...send, "--profile", "acme", "--json"], { environment });
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: "UNKNOWN_PROFILE" });
  });
});

it("white space around a variable is dropped", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "team.txt"), "+254712345678\n");
  const environment = {
    SMS_BASE_URL: " https://sms.example.com\n",
    SMS_API_KEY: "\tsk_test_abc\r\n",
    SMS_SENDER: "ACME ",
    SMS_COUNTRY: " KE",
    SMS_EXPECT: "test\n",
    SMS_ONLY_TO: ` ${join(folder, "team.txt")} `,
    SMS_HISTORY: "off\n",
  };
  const args = ["send", "--to", "0712345678", "-m", "Hi", "--dry-run", "--json"];
  const { code, stdout, stderr } = await sms(args, { environment });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain('"+254712345678"');
  expect(stdout).toContain('"ACME"');
});

describe("a variable with nearly the name of one of ours", () => {
  it.each([
    ["SMS_APIKEY", "SMS_API_KEY"],
    ["SMS_URL", "SMS_BASE_URL"],
  ])("is said: %s, for %s", async (name, meant) => {
    const environment = { ...(await withLogin()), [name]: "https://sms.example.com" };
    const { code, stderr } = await sms(send, { environment });
    expect([code, stderr]).toEqual([0, `Warning: sms does not read ${name}: did you mean ${meant}?\n`]);
  });

  it.each(["SMS_APIKEY", "SMS_TOKEN"])(
    "stops a send if it has a key, which the profile would replace: %s",
    async (name) => {
      const environment = { ...(await withLogin()), [name]: "sk_test_canary" };
      const { code, stdout, stderr } = await sms(real, { environment });
      expect([code, stdout]).toEqual([4, ""]);
      expect(stderr).toContain(`${name} has an API key, and sms does not read it`);
      expect(stderr).toContain("set SMS_API_KEY");
      expect(stderr).not.toContain("canary");
      expect((await sms(send, { environment: { ...credentials, [name]: "sk_test_canary" } })).code).toBe(0);
    },
  );
});

describe("a variable that begins like ours", () => {
  it("is said if nothing reads it, but not with --quiet", async () => {
    const environment = { ...credentials, SMS_SAFE_MODE: "1", SMS_DB_PASSWORD: "canary" };
    expect((await sms(send, { environment })).stderr).toBe(
      "Warning: sms does not read SMS_SAFE_MODE\nWarning: sms does not read SMS_DB_PASSWORD\n",
    );
    expect((await sms([...send, "-q"], { environment })).stderr).toBe("");
  });

  it("is not said if sms reads it", () => {
    const names = variables.flatMap(([all]) => all.split(", ")).filter((name) => name.startsWith("SMS_"));
    expect(names.length).toBeGreaterThan(15);
    expect(unreadVariables(Object.fromEntries(names.map((name) => [name, "a"])))).toEqual([]);
  });
});
