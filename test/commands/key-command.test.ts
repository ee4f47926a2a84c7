import { chmodSync, chownSync, existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const { sandbox, storePath, path, file, run, json } = withSandbox();
const systemPath = { PATH: process.env["PATH"] ?? "" };
const anyWarning = { warnings: expect.anything() as unknown };

/** A command that prints this key, and notes each time that it runs. */
function printing(key: string): string {
  const program = file("get key", `#!/bin/sh\nprintf x >> '${path("runs")}'\necho ${key}\n`);
  chmodSync(program, 0o700);
  return `'${program}' --account "the team's"`;
}

const timesRun = () => (existsSync(path("runs")) ? readFileSync(path("runs"), "utf8").length : 0);

describe("a key command", needs("POSIX shell"), () => {
  const login = (command: string, ...args: readonly string[]) =>
    run(["login", "--base-url", sandbox().url, "--key-command", command, ...args], { environment: systemPath });

  it("is stored in place of the key, checked once at login, and run by each send", async () => {
    const command = printing("sk_live_sandbox");
    expect((await login(command)).code).toBe(0);
    expect(timesRun()).toBe(1);
    const text = readFileSync(storePath(), "utf8");
    expect(JSON.parse(text).profiles.default.credentials).toEqual({ kind: "command", command });
    expect(text).not.toContain("sk_live_");
    expect((await json(hi, { environment: systemPath })).value).toMatchObject({ success: true, mode: "live" });
    await run(hi, { environment: systemPath });
    expect(timesRun()).toBe(3);
    expect(readFileSync(storePath(), "utf8")).toBe(text);
  });

  it("is not run by login --no-verify, status, profiles list and preview", async () => {
    const command = printing("sk_live_sandbox");
    await login(command, "--no-verify");
    const { value } = await json(["status"], { environment: systemPath });
    expect(value).toMatchObject({ mode: null, key: null, keyCommand: command, sources: { credentials: "profile" } });
    expect((await run(["status"], { environment: systemPath })).stdout).toContain(
      `${command} (from the key command of`,
    );
    expect((await json(["profiles", "list"])).value).toMatchObject([{ mode: null, keyCommand: command }]);
    await run(["preview", "-m", "Hi"], { environment: systemPath });
    expect(timesRun()).toBe(0);
  });

  it("is not stored if the service refuses its key, or if it prints none", async () => {
    for (const key of ["sk_live_canary88", "canary88"]) {
      const { code, stdout, stderr } = await login(printing(key), "--verbose");
      expect(code).toBe(key.startsWith("sk_") ? 4 : 2);
      expect(stdout + stderr).not.toContain("canary88");
    }
    expect(existsSync(storePath())).toBe(false);
  });

  it("goes only to the base URL of its profile", async () => {
    await login(printing("sk_live_sandbox"), "--no-verify");
    const { value } = await json(hi, { environment: { ...systemPath, SMS_BASE_URL: "http://127.0.0.1:1" } });
    expect(value.errorCode).toBe("OTHER_BASE_URL");
    expect(timesRun()).toBe(0);
  });

  it.each([["--with-key"], ["--email", "a@example.com"]])("and %s are refused together", async (...flags) => {
    expect((await login("true", ...flags)).code).toBe(2);
  });
});

describe("SMS_API_KEY_FILE", needs("user ids"), () => {
  function keyFile(mode: number): string {
    const secret = file("key", "sk_test_sandbox\n");
    chmodSync(secret, mode);
    return secret;
  }

  const sendWith = (secret: string) =>
    json(hi, { environment: { SMS_BASE_URL: sandbox().url, SMS_API_KEY_FILE: secret } });

  it("that others can read is warned of", async () => {
    const warning: unknown = expect.stringMatching(/^other users can read the file in SMS_API_KEY_FILE/);
    expect(await sendWith(keyFile(0o604))).toMatchObject({ code: 0, value: { warnings: [warning] } });
  });

  it("of mode 600 is not warned of", async () => {
    expect(await sendWith(keyFile(0o600))).toMatchObject({ code: 0, value: expect.not.objectContaining(anyWarning) });
  });

  it("of another user and mode 440 is not warned of: systemd and groups give it so", needs("root"), async () => {
    const secret = keyFile(0o440);
    chownSync(secret, 65_534, 65_534);
    expect(await sendWith(secret)).toMatchObject({ code: 0, value: expect.not.objectContaining(anyWarning) });
  });
});
