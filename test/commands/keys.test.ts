import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { withSandbox } from "../support/with-sandbox.ts";

const to = "+254712345678";
const { sandbox, storePath, run, json, login } = withSandbox();

describe("sms keys", () => {
  beforeEach(async () => {
    await login();
  });

  const listKeys = async () =>
    (await json(["keys", "list"])).value.map(({ name, mode, active, retired }: Record<string, unknown>) =>
      [name, mode, ...(active ? ["in use"] : []), ...(retired ? ["retired"] : [])].join(" "),
    );

  it("adds a key next to the one in use", async () => {
    const { stdout } = await run(["keys", "add", "my prod"], { stdin: "sk_live_sandbox\n" });
    expect(stdout).toContain("`sms keys use 'my prod'`");
    expect(await listKeys()).toEqual(["test test in use", "my prod live"]);
  });

  it("lists the same fields as ever with --json", async () => {
    await run(["send", "--to", to, "-m", "Hi"]);

    const { value } = await json(["keys", "list"]);

    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const key = { name: "test", mode: "test", shown: "sk_test_…dbox", ageDays: 0, active: true, retired: false };
    expect(value).toEqual([{ ...key, added: date, lastUsed: date }]);
  });

  const list = ["send", "--to", to, "--to", "+254733000000", "-m", "Hi", "--run", "list", "--yes", "--rate", "60000"];

  it("rotates, with --with-key too, to the keys that follow in a sandbox, in the midst of a run, unlike a login", async () => {
    await run(["keys", "add", "live", "--with-key"], { stdin: "sk_live_sandbox" });
    await run(["keys", "use", "live"]);
    expect((await run(list, { environment: { SMS_DAILY_CREDITS: "1" } })).code).toBe(12);
    expect((await run(["keys", "rotate", "live", "--with-key"], { stdin: "sk_live_sandbox-2" })).code).toBe(0);
    expect((await run(["runs", "resume", "list", "--yes"])).code).toBe(0);
    expect((await run(["keys", "rotate", "live"], { stdin: "sk_live_sandbox-3" })).code).toBe(0);
    expect((await run(list)).code).toBe(0);
    expect(await listKeys()).toEqual([
      "test test",
      "live live in use",
      "live-retired live retired",
      "live-retired-2 live retired",
    ]);
    expect(sandbox().messages().slice(-2)).toMatchObject([{ key: "sk_live_…dbox" }, { key: "sk_live_…ox-2" }]);
    await login("sk_live_sandbox-4");
    expect((await run(["runs", "resume", "list", "--yes"])).stderr).toContain("another key or account");
  });

  it("lets a run of a sandbox's live key take the name of a run of its test key", async () => {
    const before = sandbox().messages().length;
    expect((await run(list)).code).toBe(0);
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    await run(["keys", "use", "prod"]);
    const { code, stdout, stderr } = await run(list);
    expect({ code, texts: sandbox().messages().length - before }).toEqual({ code: 0, texts: 4 });
    expect(stdout + stderr).toContain("list");
  });

  it("uses, renames and removes keys", async () => {
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    await run(["keys", "use", "prod"]);
    await run(["keys", "rename", "prod", "main"]);
    await run(["keys", "remove", "test", "--yes"]);
    expect(await listKeys()).toEqual(["main live in use"]);
  });

  it("says when sends reach real phones, and not for a sandbox or a test key", async () => {
    const use = async (name: string) => (await run(["keys", "use", name])).stdout;
    const real = "A send now reaches real phones and costs money.\n";
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    expect(await use("prod")).toBe(
      "Key prod is in use.\nProfile default turned from test to live.\nA send is not charged now: a sandbox answers there.\n",
    );
    const moving = ["login", "--base-url", "https://sms.example.com", "--no-verify", "--with-key", "--yes"];
    await run(moving, { stdin: "sk_test_sandbox" });
    await run(["keys", "add", "main", "--no-verify"], { stdin: "sk_live_sandbox" });
    expect(await use("test")).toBe("Key test is in use.\nA send is not charged now: the key is a test key.\n");
    expect(await use("main")).toBe(`Key main is in use.\nProfile default turned from test to live.\n${real}`);
    expect((await run(["profiles", "use", "default"])).stdout).toBe(`Profile default is in use.\n${real}`);
  });

  it.each([
    ["keys", "add", "wrong", "--verbose"],
    ["keys", "rotate", "test", "--verbose"],
  ])("does not store a key that the service refuses: %s %s", async (...args) => {
    const { code, stderr } = await run(args, { stdin: "sk_test_canary5" });

    expect(code).toBe(4);
    expect(stderr).toContain("HTTP 401");
    expect(stderr).not.toContain("canary5");
    expect(await listKeys()).toEqual(["test test in use"]);
  });

  it("rotates to a valid key, and says where to revoke the old one", async () => {
    await run(["keys", "add", "prod", "--no-verify"], { stdin: "sk_live_old123" });
    await run(["keys", "use", "prod"]);
    const { code, stdout } = await run(["keys", "rotate", "prod"], { stdin: "sk_live_sandbox" });
    expect(code).toBe(0);
    expect(stdout).toContain("Key prod is replaced, and the new one is in use.");
    expect(stdout).toContain("revoke it in the dashboard (Settings, API Keys)");
    expect(await listKeys()).toEqual(["test test", "prod live in use", "prod-retired live retired"]);
  });

  it("warns of a switch to a retired key, which is retired no longer", async () => {
    await run(["keys", "add", "prod", "--no-verify"], { stdin: "sk_live_old123" });
    await run(["keys", "rotate", "prod"], { stdin: "sk_live_sandbox" });

    const { code, stderr } = await run(["keys", "use", "prod-retired"]);

    const warning = 'Warning: key "prod-retired" was retired; if it is revoked, the service refuses it\n';
    expect({ code, stderr }).toEqual({ code: 0, stderr: warning });
    expect(await listKeys()).toEqual(["test test", "prod live", "prod-retired live in use"]);
    expect((await run(["keys", "use", "test"])).stderr).toBe("");
  });

  it("rotates another key than the one in use, which stays in use", async () => {
    await run(["keys", "add", "prod", "--no-verify"], { stdin: "sk_live_old123" });
    const { stdout } = await run(["keys", "rotate", "prod"], { stdin: "sk_live_sandbox" });
    expect(stdout).toContain("Key prod is replaced; key test stays in use.");
    expect(stdout).toContain("A send is not charged now: the key is a test key.");
    expect(await listKeys()).toEqual(["test test in use", "prod live", "prod-retired live retired"]);
    expect((await json(["send", "--to", to, "-m", "Hi"])).value.mode).toBe("test");
  });

  it("says what the variables of the shell override", async () => {
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    const environment = { SMS_BASE_URL: "https://sms.example.com", SMS_API_KEY: "sk_live_other" };
    expect((await run(["keys", "use", "prod"], { environment })).stdout).toBe(
      `Key prod is in use.
Profile default turned from test to live.
SMS_API_KEY overrides profile default in this shell.
A send goes to https://sms.example.com (from SMS_BASE_URL).
A send now reaches real phones and costs money.
`,
    );
    await login("sk_test_sandbox", ["--profile", "shop"]);
    expect((await run(["profiles", "use", "default"], { environment: { SMS_PROFILE: "shop" } })).stdout).toContain(
      "SMS_PROFILE overrides profile default in this shell.\nA send is not charged now: the key is a test key.",
    );
  });

  it("lists as active the key that the next send uses", async () => {
    await run(["keys", "add", "prod"], { stdin: "sk_live_sandbox" });
    const active = async (environment: Readonly<Record<string, string>>) => {
      const { value } = await json(["keys", "list"], { environment });
      return value.filter((key: { active: boolean }) => key.active).map(({ name }: { name: string }) => name);
    };
    const environment = { SMS_API_KEY: "sk_live_sandbox" };
    expect([await active({}), await active(environment)]).toEqual([["test"], ["prod"]]);
    const other = { SMS_API_KEY: "sk_live_other" };
    expect([await active(other), await active({ ...other, SMS_API_KEY_CMD: "false" })]).toEqual([[], []]);
    const { stderr } = await run(["keys", "list"], { environment });
    expect(stderr).toBe(
      "SMS_API_KEY overrides profile default in this shell. A send is not charged now: a sandbox answers there.\n",
    );
  });

  it.each([
    [75, ""],
    [76, 'Warning: key "test" is 76 days old; rotation at 90 days is due in 14 days: `sms keys rotate test`\n'],
    [91, 'Warning: key "test" is 91 days old; rotation at 90 days is due: `sms keys rotate test`\n'],
  ])("on day %d warns: %j", async (days, stderr) => {
    const path = storePath();
    const added = new Date(Date.now() - days * 86_400_000).toISOString();
    writeFileSync(path, readFileSync(path, "utf8").replace(/"added": "[^"]*"/, `"added": "${added}"`));
    expect((await run(["keys", "list"])).stderr).toBe(`A send is not charged now: the key is a test key.\n${stderr}`);
    expect((await run(["status"])).stderr).toBe(stderr);
    const { warnings = [] } = (await json(["status"])).value;
    expect(warnings.map((text: string) => `Warning: ${text}\n`).join("")).toBe(stderr);
  });

  it("suggests commands for the profile of --profile, since another may have a key of that name", async () => {
    const ops = ["--profile", "ops"];
    await login("sk_live_old123", [...ops, "--no-verify"]);
    await run(["keys", "rename", "live", "test", ...ops]);
    const later = { now: Date.now() + 80 * 86_400_000 };
    for (const command of [["keys", "list"], ["status"]]) {
      expect((await run([...command, ...ops], later)).stderr).toContain("`sms keys rotate test --profile ops`\n");
    }
    const added = await run(["keys", "add", "new", ...ops, "--no-verify"], { stdin: "sk_live_new123" });
    expect(added.stdout).toContain("`sms keys use new --profile ops`");
    const rotated = await run(["keys", "rotate", "test", ...ops], { stdin: "sk_live_sandbox" });
    expect(rotated.stdout).toContain("`sms keys remove test-retired --profile ops`");
  });

  it.each([
    ["use none", "`sms keys list --profile ops`"],
    ["add other --no-verify", "`sms keys use live --profile ops`"],
    ["add live --no-verify", "`sms keys rotate live --profile ops`"],
    ["remove live --yes", "`sms keys use NAME --profile ops` first, or remove all with `sms logout --profile ops`"],
  ])("names the profile in the hint after a refused %s", async (line, hint) => {
    const ops = ["--profile", "ops"];
    await login("sk_live_old123", [...ops, "--no-verify"]);
    await run(["keys", "add", "new", ...ops, "--no-verify"], { stdin: "sk_live_new123" });

    const { code, stderr } = await run(["keys", ...line.split(" "), ...ops], { stdin: "sk_live_old123" });

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(hint) as unknown });
  });
});
