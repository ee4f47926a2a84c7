import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Machine, sms } from "../support/machine.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { answer } from "../support/scripts.ts";

const to = "+254712345678";
let sandbox: Sandbox;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  let ids = 0;
  const newId = () => `msg_${++ids}`;
  sandbox = await startSandbox({ port: 0, tier: "professional", credits: 1000, now: Date.now, newId });
});

afterAll(() => sandbox.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sms-"));
  environment = { SMS_CONFIG_DIR: join(folder, "config"), SMS_STATE_DIR: join(folder, "state") };
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function run(args: readonly string[], machine: Machine = {}) {
  return sms(args, { ...machine, environment: { ...environment, ...machine.environment } });
}

/** What a command printed as JSON, on whichever stream. */
async function json(args: readonly string[], machine: Machine = {}) {
  const { code, stdout, stderr } = await run([...args, "--json"], machine);
  return { code, value: JSON.parse(stdout || stderr) };
}

function login(key = "sk_test_sandbox", args: readonly string[] = []) {
  return run(["login", "--base-url", sandbox.url, "--with-key", ...args], { stdin: `${key}\n` });
}

describe("sms login", () => {
  it("stores what the service takes, and a send uses it", async () => {
    expect((await login()).code).toBe(0);
    const { value } = await json(["send", "--to", to, "-m", "Hi"]);
    expect(value).toMatchObject({ success: true, to, mode: "test" });
  });

  it("stores nothing that the service refuses", async () => {
    const { code, value } = await json(["login", "--base-url", sandbox.url, "--with-key"], {
      stdin: "sk_test_other",
    });
    expect({ code, value }).toEqual({
      code: 4,
      value: {
        error: "Invalid credentials",
        errorCode: "UNAUTHORIZED",
        httpStatus: 401,
        exitCode: 4,
        hint: expect.stringContaining("Settings, API Keys"),
      },
    });
    expect((await run(["status"])).code).toBe(4);
  });

  it("stores unasked with --no-verify", async () => {
    const args = ["login", "--base-url", "https://sms.example.com", "--with-key", "--no-verify"];
    expect((await run(args, { stdin: "sk_live_0123456789a1b2" })).code).toBe(0);
    expect((await json(["status"])).value).toMatchObject({
      baseUrl: "https://sms.example.com",
      mode: "live",
      key: { name: "live", shown: "sk_live_…a1b2", ageDays: 0 },
    });
  });

  it("keeps the other path where the first one is not the service's", async () => {
    const server = await startScriptedServer({
      onRequest: (socket, request, index) =>
        answer(request.target === "/v1/sms/send" ? 400 : 404, {})(socket, request, index),
    });
    const { value } = await json(["login", "--base-url", server.url, "--with-key"], { stdin: "sk_test_a" });
    await server.close();
    expect(value).toMatchObject({ path: "/v1/sms/send" });
    expect(server.requests.map(({ target, body }) => [target, body])).toEqual([
      ["/api/v1/sms/send", "{}"],
      ["/v1/sms/send", "{}"],
    ]);
  });

  it("takes account credentials, as Basic", async () => {
    const args = ["login", "--base-url", sandbox.url, "--email", "sandbox@example.com", "--with-password"];
    expect((await run(args, { stdin: "sandbox\n" })).code).toBe(0);
    expect((await json(["send", "--to", to, "-m", "Hi"])).value).toMatchObject({ mode: "account" });
  });

  it("sends account credentials in the body under the names given, and no header", async () => {
    const server = await startScriptedServer({ onRequest: answer(400, {}) });
    const account = ["--email", "me@example.com", "--with-password", "--body-fields", "user,pass"];
    await run(["login", "--base-url", server.url, ...account], { stdin: "secret" });
    await run(["send", "--to", to, "-m", "Hi"]);
    await server.close();
    expect(server.requests.map(({ body, headers }) => [JSON.parse(body), headers["authorization"]])).toEqual([
      [{ user: "me@example.com", pass: "secret" }, undefined],
      [{ user: "me@example.com", pass: "secret", to, message: "Hi" }, undefined],
    ]);
  });

  it("keeps defaults, which flags and the environment beat", async () => {
    await login("sk_test_sandbox", ["--sender", "ACME", "--country", "KE"]);
    await run(["send", "--to", "0712345678", "-m", "Hi"]);
    await run(["send", "--to", to, "-m", "Hi"], { environment: { SMS_SENDER: "SANDBOX" } });
    expect(
      sandbox
        .messages()
        .slice(-2)
        .map(({ to: number, senderId }) => [number, senderId]),
    ).toEqual([
      [to, "ACME"],
      [to, "SANDBOX"],
    ]);
  });

  it.each([
    ["no base URL", ["login", "--with-key"], "NO_BASE_URL"],
    ["no key, and nobody to ask", ["login", "--base-url", "https://sms.example.com"], "NO_SECRET"],
    ["a key that is none", ["login", "--base-url", "https://sms.example.com", "--with-key"], "INVALID_KEY"],
    [
      "a URL with a secret in it",
      ["login", "--base-url", "https://a:b@sms.example.com", "--with-key"],
      "INVALID_BASE_URL",
    ],
    [
      "a password without an address",
      ["login", "--base-url", "https://sms.example.com", "--with-password"],
      "NO_EMAIL",
    ],
    [
      "body fields that the message has",
      [
        "login",
        "--base-url",
        "https://sms.example.com",
        "--email",
        "a@example.com",
        "--with-password",
        "--body-fields",
        "to,b",
      ],
      "INVALID_OPTION",
    ],
    [
      "a tier and a rate",
      ["login", "--base-url", "https://sms.example.com", "--with-key", "--tier", "free", "--rate", "5"],
      "AMBIGUOUS_RATE",
    ],
  ])("refuses %s", async (_, args, errorCode) => {
    expect(await json(args, { stdin: "not a key" })).toMatchObject({ code: 2, value: { errorCode } });
  });
});

describe("what a send uses", () => {
  it("is the environment's before the profile's, and status says so", async () => {
    await login();
    const given = { SMS_API_KEY: "sk_live_sandbox", SMS_BASE_URL: sandbox.url };
    const { value } = await json(["status"], { environment: given });
    expect(value).toEqual({
      profile: "default",
      baseUrl: sandbox.url,
      path: "/api/v1/sms/send",
      mode: "live",
      key: { name: null, shown: "sk_live_…dbox", ageDays: null },
      sources: { baseUrl: "SMS_BASE_URL", credentials: "SMS_API_KEY" },
      balance: null,
      kesPerCredit: null,
    });
  });

  it("is the profile of --profile, before SMS_PROFILE, before the one in use", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    const names = async (args: readonly string[], profile = "") =>
      (await json(["status", ...args], { environment: { SMS_PROFILE: profile } })).value.profile;
    expect([await names([]), await names([], "shop"), await names(["-p", "default"], "shop")]).toEqual([
      "default",
      "shop",
      "default",
    ]);
    await run(["profiles", "use", "shop"]);
    expect(await names([])).toBe("shop");
  });

  it("is refused where the profile named is not there", async () => {
    expect(await json(["send", "-p", "none", "--to", to, "-m", "Hi"])).toMatchObject({
      code: 2,
      value: { errorCode: "UNKNOWN_PROFILE" },
    });
  });

  it("teaches the balance and the price, which status shows", async () => {
    await login("sk_live_sandbox");
    const sent = (await json(["send", "--to", to, "-m", "Hi"])).value;
    expect((await json(["status"])).value).toMatchObject({
      balance: { credits: sent.newBalance },
      kesPerCredit: 0.8,
    });
  });

  it("gives the price to preview and to a dry run, with its age", async () => {
    await login();
    await run(["send", "--to", to, "-m", "Hi"]);
    const text = "a".repeat(161);
    expect((await run(["preview", "-m", text])).stdout).toContain(
      "2 credits, KES 1.60 at a price known since today",
    );
    expect((await json(["preview", "-m", text])).value).toMatchObject({ kesPerCredit: 0.8, priceAgeDays: 0 });
    expect((await run(["send", "--dry-run", "--to", to, "-m", text])).stdout).toContain(
      "Estimate  2 credits, KES 1.60 at a price known since today",
    );
  });

  it("names the key on a 401", async () => {
    await run(["login", "--base-url", sandbox.url, "--with-key", "--no-verify"], { stdin: "sk_test_wrong1" });
    const { code, stderr } = await run(["send", "--to", to, "-m", "Hi"]);
    expect(code).toBe(4);
    expect(stderr).toContain('the credentials came from key "test" of profile "default"');
  });
});

describe("sms keys", () => {
  beforeEach(async () => {
    await login();
  });

  const listed = async () =>
    (await json(["keys", "list"])).value.map(({ name, mode, active, retired }: Record<string, unknown>) =>
      [name, mode, ...(active ? ["in use"] : []), ...(retired ? ["retired"] : [])].join(" "),
    );

  it("keeps a key beside the one in use", async () => {
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox\n" });
    expect(await listed()).toEqual(["test test in use", "prod live"]);
  });

  it("lists a stable shape", async () => {
    await run(["send", "--to", to, "-m", "Hi"]);
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await json(["keys", "list"])).value).toEqual([
      {
        name: "test",
        mode: "test",
        shown: "sk_test_…dbox",
        added: date,
        ageDays: 0,
        lastUsed: date,
        active: true,
        retired: false,
      },
    ]);
  });

  it("uses, renames and removes", async () => {
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    await run(["keys", "use", "prod"]);
    await run(["keys", "rename", "prod", "main"]);
    await run(["keys", "remove", "test"]);
    expect(await listed()).toEqual(["main live in use"]);
  });

  it("says that the first key kept is in use", async () => {
    const fresh = { SMS_CONFIG_DIR: join(folder, "fresh") };
    const added = await run(["keys", "add", "first"], { stdin: "sk_live_sandbox", environment: fresh });
    expect(added.stdout).toBe("Added live key first, which is now in use.\n");
  });

  it("verifies the one in use, or another", async () => {
    await run(["keys", "add", "wrong"], { stdin: "sk_live_wrong1" });
    expect((await run(["keys", "verify"])).code).toBe(0);
    expect((await run(["keys", "verify", "wrong"])).code).toBe(4);
  });

  it("rotates to a key that the service takes, and says where to revoke the old one", async () => {
    const args = ["login", "--base-url", sandbox.url, "--with-key", "--no-verify", "--key-name", "prod"];
    await run(args, { stdin: "sk_live_old123" });
    const { code, stdout } = await run(["keys", "rotate", "prod"], { stdin: "sk_live_sandbox" });
    expect(code).toBe(0);
    expect(stdout).toContain("revoke it in the dashboard (Settings, API Keys)");
    expect(await listed()).toEqual(["test test", "prod live in use", "prod-retired live retired"]);
  });

  it("rotates to none that it refuses", async () => {
    const { code } = await run(["keys", "rotate", "test"], { stdin: "sk_test_wrong1" });
    expect(code).toBe(4);
    expect(await listed()).toEqual(["test test in use"]);
  });

  it.each([
    [["keys", "add", "test"], "KEY_EXISTS"],
    [["keys", "add", "again"], "SAME_KEY"],
    [["keys", "use", "none"], "UNKNOWN_KEY"],
    [["keys", "remove", "none"], "UNKNOWN_KEY"],
    [["keys", "add", "sk_live_pasted"], "INVALID_NAME"],
  ])("refuses %j: %s", async (args, errorCode) => {
    expect(await json(args, { stdin: "sk_test_sandbox" })).toMatchObject({ code: 2, value: { errorCode } });
  });

  it.each([
    [75, ""],
    [76, 'Warning: key "test" is 76 days old; rotation at 90 days is due in 14 days: `sms keys rotate`\n'],
    [91, 'Warning: key "test" is 91 days old; rotation at 90 days is due: `sms keys rotate`\n'],
  ])("on day %d warns: %j", async (days, stderr) => {
    const path = join(folder, "config", "credentials.json");
    const added = new Date(Date.now() - days * 86_400_000).toISOString();
    writeFileSync(path, readFileSync(path, "utf8").replace(/"added": "[^"]*"/, `"added": "${added}"`));
    expect((await run(["keys", "list"])).stderr).toBe(stderr);
    expect((await run(["status"])).stderr).toBe(stderr);
  });
});

describe("what the environment may not do", () => {
  it("is to have a new key checked at another service than the one it is kept for", async () => {
    await login();
    const { code } = await run(["keys", "rotate", "test"], {
      stdin: "sk_test_new123",
      environment: { SMS_BASE_URL: "http://127.0.0.1:1" },
    });
    expect(code).toBe(4);
  });

  it("is to stand in for what a login has stored", async () => {
    const args = ["login", "--base-url", sandbox.url, "--with-key"];
    const { code, stdout, stderr } = await run(args, {
      stdin: "sk_test_sandbox",
      environment: { SMS_API_KEY: "sk_live_sandbox" },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('sk_test_…dbox, 0 days old (from key "test" of profile "default")');
    expect(stderr).toBe("Warning: the environment overrides the profile: SMS_API_KEY\n");
  });

  it("is to break the JSON of a command by a value that is no key", async () => {
    const { stdout } = await run(["preview", "--json", "-m", "hello 1"], {
      environment: { SMS_API_KEY: "1" },
    });
    expect(JSON.parse(stdout)).toMatchObject({ segments: 1 });
  });

  it("is to keep a message from going out for want of a home", async () => {
    const { code } = await run(["send", "--to", to, "-m", "Hi"], {
      environment: {
        SMS_CONFIG_DIR: "/dev/null/sms",
        SMS_BASE_URL: sandbox.url,
        SMS_API_KEY: "sk_test_sandbox",
      },
    });
    expect(code).toBe(0);
  });
});

describe("sms profiles and sms logout", () => {
  it("list, use and remove profiles", async () => {
    await login();
    await login("sk_live_sandbox", ["--profile", "shop"]);
    await run(["profiles", "use", "shop"]);
    await run(["profiles", "remove", "default"]);
    expect((await json(["profiles", "list"])).value).toEqual([
      { name: "shop", baseUrl: sandbox.url, mode: "live", keys: 1, active: true },
    ]);
  });

  it("forget the credentials and keep the base URL", async () => {
    await login();
    expect((await json(["logout"])).value).toEqual({ profile: "default", keysForgotten: 1 });
    expect((await run(["status"])).code).toBe(4);
    expect(readFileSync(join(folder, "config", "credentials.json"), "utf8")).not.toContain("sk_test");
  });
});

describe("a secret", () => {
  it.each([
    ["as an option", ["send", "--api-key=sk_live_canary99!x", "--to", to, "-m", "Hi"], {}],
    ["as an argument", ["keys", "use", "sk_live_canary99!x"], {}],
    ["as a base URL", ["login", "--base-url", "https://sk_live_canary99!x@sms.example.com"], {}],
    [
      "in the environment",
      ["send", "--to", "sk_live_canary99!x", "-m", "Hi"],
      { SMS_API_KEY: "sk_live_canary99!x" },
    ],
    ["as a profile", ["status", "--profile", "sk_live_canary99!x"], {}],
    ["on standard input, malformed", ["login", "--base-url", "https://sms.example.com", "--with-key"], {}],
  ])("given %s is never printed", async (_, args, more) => {
    for (const style of [[], ["--json"], ["--verbose"]]) {
      const { code, stdout, stderr } = await run([...args, ...style], {
        environment: more,
        stdin: "sk_live_canary99 x",
      });
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toContain("canary99");
    }
  });
});
