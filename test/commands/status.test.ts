import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { startScriptedProxy } from "../support/scripted-proxy.ts";
import { type ScriptedServerOptions, startScriptedServer } from "../support/scripted-server.ts";
import { answer } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";
import { withSandbox } from "../support/with-sandbox.ts";
import { temporaryFolder } from "../support/folders.ts";

const to = "+254712345678";
const { sandbox, storePath, run, json, login } = withSandbox();

describe("a send", () => {
  it("uses the environment before the profile, as status shows", async () => {
    await login();
    const environment = { SMS_API_KEY: "sk_live_sandbox", SMS_BASE_URL: sandbox().url };

    const { value } = await json(["status"], { environment });

    const service = { baseUrl: sandbox().url, path: "/api/v1/sms/send", sandbox: true, mode: "live" };
    const key = { name: null, shown: "sk_live_…dbox", ageDays: null };
    const sources = { baseUrl: "SMS_BASE_URL", credentials: "SMS_API_KEY" };
    const unset = { sender: null, country: null, rate: null, balance: null, kesPerCredit: null };
    expect(value).toEqual({ profile: "default", ...service, key, sources, ...unset, history: "on" });
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
    const { value } = await json(["status", "--check"], { environment: other });
    expect(value).toMatchObject({ mode: "live", dailyCredits: ofProfile });
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
    const warning = "SMS_API_KEY overrides profile default in this shell.";
    expect((await json(args, machine)).value.warnings).toEqual([warning]);
    expect(stderr).toBe(`Warning: ${warning}\nA send is not charged now: a sandbox answers there.\n`);
  });

  it("does not break JSON if SMS_API_KEY is not a key", async () => {
    const { stdout } = await run(["preview", "--json", "-m", "hello 1"], { environment: { SMS_API_KEY: "1" } });

    expect(JSON.parse(stdout)).toMatchObject({ segments: 1 });
  });
});

/** Checks with these variables; returns the exit code, the JSON, and each check by its name. */
async function check(environment: Readonly<Record<string, string>> = {}) {
  const { code, value } = await json(["status", "--check"], { environment });
  const checks: readonly { check: string; ok: boolean | null }[] = value.checks;
  return { code, value, checks: Object.fromEntries(checks.map(({ check: name, ...outcome }) => [name, outcome])) };
}

/** Variables that lead to a server which behaves so. */
async function at(options: ScriptedServerOptions) {
  const server = await startScriptedServer(options);
  return { SMS_BASE_URL: server.url.replace("http:", options.tls ? "https:" : "http:"), SMS_API_KEY: "sk_test_a" };
}

const clocks: unknown = expect.stringMatching(/^says \S+Z, and the service's \S+Z$/);
const unreached = { ok: null, text: "not checked: the service was not reached" };

describe("sms status --check", () => {
  it("says that all is well, below the status", async () => {
    await login();
    const { code, stdout, stderr } = await run(["status", "--check"]);
    const folder = dirname(dirname(storePath()));
    const lines = stdout.replace(/[\d,]+ MB/, "N MB").split("\n");

    expect(lines.slice(8)).toEqual([
      "",
      `✓ Reach           ${sandbox().url} was reached directly`,
      "- TLS             not used: http stays on this machine",
      '✓ Credentials     valid (key "test" of profile "default")',
      `✓ Room to record  N MB free for ${folder}/state`,
      "✓ Clock           agrees with the service's within a minute",
      "",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ {2}Profile {3}default\n/);
  });

  it("adds its checks to the JSON of status, and sends no message", async () => {
    await login();
    const before = sandbox().messages().length;
    const { code, value } = await check();
    expect([code, value]).toEqual([0, { ...(await json(["status"])).value, checks: expect.any(Array) }]);
    expect(sandbox().messages()).toHaveLength(before);
  });

  it("prints with --quiet only what fails", async () => {
    await login();
    expect(await run(["status", "--check", "--quiet"])).toEqual({ code: 0, stdout: "", stderr: "" });
    const environment = { SMS_API_KEY: "sk_test_other" };
    const { code, stdout } = await run(["status", "--check", "--quiet"], { environment });
    expect([code, stdout]).toEqual([4, expect.stringMatching(/^✗ Credentials .*\n$/)]);
  });

  it("goes through the proxy and names it without its password", async () => {
    const proxy = await startScriptedProxy({ kind: "tunnels", port: Number(new URL(sandbox().url).port) });
    await login();
    const { checks } = await check({ http_proxy: proxy.url.replace("//", "//me:secret@") });
    const { host } = new URL(proxy.url);
    expect(checks["reach"]).toEqual({ ok: true, text: `${sandbox().url} was reached through the proxy ${host}` });
  });

  it("asks only at the path that a send uses", async () => {
    const environment = await at({
      onRequest: (socket, request, index) =>
        answer(request.target === "/v1/sms/send" ? 400 : 404)(socket, request, index),
    });
    expect((await check(environment)).checks["credentials"]).toMatchObject({
      ok: false,
      text: expect.stringMatching(/ is not the service: HTTP 404 at http:.*\/api\/v1\/sms\/send$/) as unknown,
    });
  });
});

describe("sms status --check fails", () => {
  it.each([
    ["there are no credentials", {}, "NO_CREDENTIALS"],
    ["the key command fails", { SMS_BASE_URL: "http://127.0.0.1:1", SMS_API_KEY_CMD: "false" }, "KEY_COMMAND_FAILED"],
  ])("before it asks the service, if %s", async (_, environment, errorCode) => {
    const path = { PATH: process.env["PATH"] ?? "" };
    const { code, value } = await json(["status", "--check"], { environment: { ...path, ...environment } });
    expect([code, value]).toEqual([4, expect.objectContaining({ errorCode })]);
  });

  const fromNow = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() });
  const refusal = { error: "to is missing" };
  const no = { error: "no" };

  it.each<[string, ScriptedServerOptions, number, string, object]>([
    ["a refused key", { onRequest: answer(403, no) }, 4, "credentials", { text: "refused: no (HTTP 403)" }],
    ["a failing service", { onRequest: answer(500) }, 9, "credentials", { fix: expect.stringMatching(/^try again/) }],
    ["an undocumented answer", { onRequest: answer(200, "") }, 9, "credentials", { errorCode: "NOT_THE_SERVICE" }],
    ["a self-signed certificate", { tls: selfSigned({ names: ["127.0.0.1"] }) }, 9, "tls", { ok: false }],
    ["a clock ahead", { onRequest: answer(400, refusal, fromNow(-10_800_000)) }, 2, "clock", { text: clocks }],
    ["a clock behind", { onRequest: answer(400, refusal, fromNow(600_000)) }, 2, "clock", { errorCode: "CLOCK_SKEW" }],
  ])("by %s", async (_, options, exitCode, name, facts) => {
    const { code, checks } = await check(await at(options));

    expect(code).toBe(exitCode);
    expect(checks[name]).toMatchObject({ ok: false, exitCode, ...facts });
    expect(checks["reach"]).toMatchObject({ ok: true });
  });

  test("where nothing listens", async () => {
    const { code, checks } = await check({ SMS_BASE_URL: "http://127.0.0.1:1", SMS_API_KEY: "sk_live_a" });
    expect([code, checks["tls"], checks["credentials"]]).toEqual([9, unreached, unreached]);
  });

  it.each([
    ["an invalid proxy", () => ({ http_proxy: "ftp://x" }), 2, "reach", "INVALID_PROXY"],
    ["a folder that cannot be made", () => ({ SMS_STATE_DIR: join(storePath(), "sms") }), 2, "room", "NOT_RECORDABLE"],
  ])("by %s", async (_, environment, exitCode, name, errorCode) => {
    await login();
    expect(await check(environment())).toMatchObject({ code: exitCode, checks: { [name]: { ok: false, errorCode } } });
  });
});

test("sms status --check trusts a certificate of NODE_EXTRA_CA_CERTS", async () => {
  const folder = temporaryFolder();
  const tls = selfSigned({ names: ["127.0.0.1"] });
  writeFileSync(join(folder, "ca.pem"), tls.cert);
  const environment = await at({ tls, onRequest: answer(400, { error: "to is missing" }) });
  const env = { ...environment, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
  const { code, stdout } = await runSms(["status", "--check"], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining("✓ TLS             the certificate is trusted\n")]);
});
