import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { withSandbox } from "../support/with-sandbox.ts";
import { temporaryFolder } from "../support/folders.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const { sandbox, storePath, run, json } = withSandbox();
const path = { PATH: process.env["PATH"] ?? "" };
const anyWarning = { warnings: expect.anything() as unknown };
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});
/** A command that prints this key, and notes each time that it runs. */
function printing(key: string): string {
  const file = join(folder, "get key");
  writeFileSync(file, `#!/bin/sh\nprintf x >> '${folder}/runs'\necho ${key}\n`);
  chmodSync(file, 0o700);
  return `'${file}' --account "the team's"`;
}

const timesRun = () => (existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0);

describe("a key command", needs("POSIX shell"), () => {
  const login = (command: string, ...args: readonly string[]) =>
    run(["login", "--base-url", sandbox().url, "--key-command", command, ...args], { environment: path });

  it("is stored in place of the key, checked once at login, and run by each send", async () => {
    const command = printing("sk_live_sandbox");
    expect((await login(command)).code).toBe(0);
    expect(timesRun()).toBe(1);
    const text = readFileSync(storePath(), "utf8");
    expect(JSON.parse(text).profiles.default.credentials).toEqual({ kind: "command", command });
    expect(text).not.toContain("sk_live_");
    expect((await json(hi, { environment: path })).value).toMatchObject({ success: true, mode: "live" });
    await run(hi, { environment: path });
    expect(timesRun()).toBe(3);
    expect(readFileSync(storePath(), "utf8")).toBe(text);
  });

  it("is not run by login --no-verify, status, profiles list and preview", async () => {
    const command = printing("sk_live_sandbox");
    await login(command, "--no-verify");
    const { value } = await json(["status"], { environment: path });
    expect(value).toMatchObject({ mode: null, key: null, keyCommand: command, sources: { credentials: "profile" } });
    expect((await run(["status"], { environment: path })).stdout).toContain(`${command} (from the key command of`);
    expect((await json(["profiles", "list"])).value).toMatchObject([{ mode: null, keyCommand: command }]);
    await run(["preview", "-m", "Hi"], { environment: path });
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
    const { value } = await json(hi, { environment: { ...path, SMS_BASE_URL: "http://127.0.0.1:1" } });
    expect(value.errorCode).toBe("OTHER_BASE_URL");
    expect(timesRun()).toBe(0);
  });

  it.each([["--with-key"], ["--email", "a@example.com"]])("and %s are refused together", async (...flags) => {
    expect((await login("true", ...flags)).code).toBe(2);
  });
});

describe("SMS_API_KEY_FILE", needs("user ids"), () => {
  function keyFile(mode: number): string {
    const file = join(folder, "key");
    writeFileSync(file, "sk_test_sandbox\n");
    chmodSync(file, mode);
    return file;
  }

  const sendWith = (file: string) => json(hi, { environment: { SMS_BASE_URL: sandbox().url, SMS_API_KEY_FILE: file } });

  it("that others can read is warned of", async () => {
    const warning: unknown = expect.stringMatching(/^other users can read the file in SMS_API_KEY_FILE/);
    expect(await sendWith(keyFile(0o604))).toMatchObject({ code: 0, value: { warnings: [warning] } });
  });

  it("of mode 600 is not warned of", async () => {
    expect(await sendWith(keyFile(0o600))).toMatchObject({ code: 0, value: expect.not.objectContaining(anyWarning) });
  });

  it("of another user and mode 440 is not warned of: systemd and groups give it so", needs("root"), async () => {
    const file = keyFile(0o440);
    chownSync(file, 65_534, 65_534);
    expect(await sendWith(file)).toMatchObject({ code: 0, value: expect.not.objectContaining(anyWarning) });
  });
});
