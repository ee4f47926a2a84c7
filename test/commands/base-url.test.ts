import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const to = "+254712345678";
const hi = ["send", "--to", to, "-m", "Hi"];
const { sandbox, storePath, run, json, login } = withSandbox();

let other: ScriptedServer;
beforeAll(async () => {
  other = await startScriptedServer({ onRequest: accept() });
});

type Machine = Parameters<typeof json>[1];

async function expectFailure(args: readonly string[], machine: Machine, code: number, failure: object) {
  expect(await json(args, machine)).toMatchObject({ code, value: failure });
}

const elsewhere = () => ({ environment: { SMS_BASE_URL: other.url } });

/** Writes the base URL of the stored profile as a person might have. */
function rewriteBaseUrl(baseUrl: string | undefined): void {
  const store = JSON.parse(readFileSync(storePath(), "utf8"));
  store.profiles.default.baseUrl = baseUrl;
  if (baseUrl !== undefined) store.profiles.default.keys.live.baseUrl = baseUrl;
  writeFileSync(storePath(), JSON.stringify(store));
}

describe("stored credentials", () => {
  beforeEach(async () => {
    await login("sk_live_sandbox");
  });

  it.each([
    ["a send", hi],
    ["a dry run", [...hi, "--dry-run"]],
    ["status", ["status"]],
    ["keys rotate", ["keys", "rotate", "live"]],
    ["keys add", ["keys", "add", "new"]],
    ["keys add --no-verify", ["keys", "add", "new", "--no-verify"]],
  ])("do not follow SMS_BASE_URL: %s", async (_, args) => {
    await expectFailure(args, { ...elsewhere(), stdin: "sk_live_next" }, 4, {
      errorCode: "OTHER_BASE_URL",
      error: `the credentials of profile "default" are only sent to ${sandbox().url}, and SMS_BASE_URL is ${other.url}`,
      hint: "unset SMS_BASE_URL, set SMS_API_KEY, or choose another profile with --profile",
    });
    expect(other.connections()).toBe(0);
  });

  it.each([
    ["another port", "http://127.0.0.1:1"],
    ["another scheme", "https://127.0.0.1:4010"],
    ["another spelling of this machine", "http://localhost:4010"],
    ["IPv6", "http://[::1]:4010"],
  ])("do not go to %s", async (_, url) => {
    rewriteBaseUrl("http://127.0.0.1:4010");
    await expectFailure(["status"], { environment: { SMS_BASE_URL: url } }, 4, { errorCode: "OTHER_BASE_URL" });
  });

  it.each([
    ["https://sms.example.com", "HTTPS://SMS.Example.com:443/"],
    ["https://sms.example.com/base", "https://sms.example.com:443/base/"],
    ["http://[::1]:4010", "http://[::1]:4010/"],
  ])("of %s go to %s, which is the same", async (baseUrl, url) => {
    rewriteBaseUrl(baseUrl);
    expect((await run(["status"], { environment: { SMS_BASE_URL: url } })).code).toBe(0);
  });

  it("go nowhere while their profile has no base URL of its own", async () => {
    rewriteBaseUrl(undefined);
    await expectFailure(hi, elsewhere(), 4, {
      errorCode: "OTHER_BASE_URL",
      error: expect.stringContaining('profile "default" has no base URL of its own'),
      hint: expect.stringContaining(`sms login --base-url ${other.url}`),
    });
    expect(other.connections()).toBe(0);
  });
});

describe("a login to another base URL", () => {
  const moving = () => ["login", "--base-url", other.url, "--with-key", "--no-verify"];
  const stdin = "sk_test_other";

  beforeEach(async () => {
    await login("sk_live_sandbox");
  });

  it("moves no profile by itself, and stores nothing", async () => {
    const before = readFileSync(storePath(), "utf8");

    await expectFailure(moving(), { stdin }, 2, {
      errorCode: "PROFILE_MOVES",
      error: expect.stringContaining(`"default" is at ${sandbox().url}`),
      hint: expect.stringContaining("--profile NAME, or move it with --yes"),
    });
    expect(readFileSync(storePath(), "utf8")).toBe(before);
  });

  it("gives the service there none of the keys of the other, even where it is wanted", async () => {
    expect((await run([...moving(), "--yes"], { stdin })).code).toBe(0);

    for (const verb of ["use", "rotate"]) {
      const hint: unknown = expect.stringContaining(`sms login --base-url ${sandbox().url} --profile NAME`);
      await expectFailure(["keys", verb, "live"], { stdin: "sk_live_next" }, 4, { errorCode: "OTHER_BASE_URL", hint });
    }
    const store = JSON.parse(readFileSync(storePath(), "utf8"));
    store.profiles.default.credentials.name = "live";
    writeFileSync(storePath(), JSON.stringify(store));
    const after = other.connections();
    for (const args of [hi, [...hi, "--once", "k"], [...hi, "--run", "topup", "--yes"], ["status", "--check"]])
      expect((await run(args)).code).toBe(4);
    expect(other.connections()).toBe(after);
  });
});

it("a run that began with the base URL of another profile names that profile", async () => {
  await login("sk_live_sandbox", ["--profile", "my shop"]);
  const args = ["login", "--base-url", other.url, "--with-key", "--no-verify", "--profile", "b"];
  await run(args, { stdin: "sk_live_other" });
  const limited = { environment: { SMS_DAILY_CREDITS: "1" } };
  await run([...hi, "--to", "+254712345679", "--run", "r", "--yes", "-p", "my shop"], limited);
  const hint = `\`--profile 'my shop'\` is at ${sandbox().url}`;
  expect((await json(["runs", "resume", "r", "--yes", "-p", "b"])).value.hint).toBe(hint);
  const environment = { SMS_API_KEY: "sk_live_other" };
  expect((await json(["runs", "resume", "r", "--yes", "-p", "b"], { environment })).value.hint).not.toContain("shop");
});

describe("the service, if it is not that of the profile,", () => {
  it.each([
    ["a receipt", hi],
    ["a dry run", [...hi, "--dry-run"]],
    ["the plan of a run", [...hi, "--run", "topup", "--dry-run"]],
    ["a run", [...hi, "--run", "topup"]],
  ])("is named in %s", async (_, args) => {
    await login("sk_live_sandbox");

    const { stdout } = await run(args, { environment: { SMS_BASE_URL: other.url, SMS_API_KEY: "sk_test_env" } });

    expect(stdout).toContain(`${other.url} (from SMS_BASE_URL)`);
    const ours = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" };
    expect((await run([...args.slice(0, 5), "--dry-run"], { environment: ours })).stdout).not.toContain("Service");
  });

  it("is named in a failure", async () => {
    const refusing = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_wrong1" };
    const { stderr } = await run(hi, { environment: refusing });
    expect(stderr).toMatch(new RegExp(`^Rejected: [^]*\n  Service: ${sandbox().url} \\(from SMS_BASE_URL\\)\n$`));
  });
});

describe("a key that is added before a login", () => {
  it("is bound to the service that accepted it", async () => {
    const environment = { SMS_BASE_URL: sandbox().url };
    const added = await run(["keys", "add", "prod"], { environment, stdin: "sk_live_sandbox" });
    expect(added.stdout).toBe(`Added live key prod, which is now in use.
Profile default uses ${sandbox().url}.
A send is not charged now: a sandbox answers there.
`);
    expect((await run(hi)).code).toBe(0);
    expect((await json(hi, elsewhere())).value.errorCode).toBe("OTHER_BASE_URL");
  });

  it("is refused without a base URL to check it", async () => {
    await expectFailure(["keys", "add", "prod"], { stdin: "sk_live_sandbox" }, 2, { errorCode: "NO_BASE_URL" });
  });
});
