import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemHost } from "../../src/host.ts";
import { checkedAccount, environmentCredentials as credentialsOn } from "../../src/profiles/environment.ts";
import { temporaryFolder } from "../support/folders.ts";

const { readFile } = systemHost();
const environmentCredentials = (environment: Readonly<Record<string, string | undefined>>) =>
  credentialsOn({ environment, readFile, uid: undefined });

const key = "sk_test_abc";
const email = "jo@example.com";

function fileOf(content: string): string {
  const path = join(temporaryFolder(), "key");
  writeFileSync(path, content);
  return path;
}

describe("the credentials in the environment", () => {
  it.each([
    {
      name: "the key in SMS_API_KEY",
      environment: () => ({ SMS_API_KEY: key, SMS_EMAIL: "" }),
      credentials: { kind: "key", key: { secret: key, mode: "test" } },
      source: "SMS_API_KEY",
    },
    {
      name: "the key in the file that SMS_API_KEY_FILE names, without white space around name and key",
      environment: () => ({ SMS_API_KEY_FILE: ` ${fileOf("sk_live_abc\n")}\n`, SMS_API_KEY: " " }),
      credentials: { kind: "key", key: { secret: "sk_live_abc", mode: "live" } },
      source: "SMS_API_KEY_FILE",
    },
    {
      name: "the account in SMS_EMAIL and SMS_PASSWORD, without white space around them",
      environment: () => ({ SMS_EMAIL: ` ${email}\n`, SMS_PASSWORD: "\ta:b c\r\n" }),
      credentials: { kind: "account", email, password: "a:b c" },
      source: "SMS_EMAIL and SMS_PASSWORD",
    },
    {
      name: "those of the command in SMS_API_KEY_CMD, once it has run",
      environment: () => ({ SMS_API_KEY_CMD: " pass key\n" }),
      credentials: undefined,
      source: "SMS_API_KEY_CMD",
      keyCommand: "pass key",
    },
  ])("are $name", async ({ environment, credentials, source, keyCommand }) => {
    expect(await environmentCredentials(environment())).toEqual({ credentials, source, keyCommand });
  });

  it.each([
    [{ SMS_API_KEY: key, SMS_API_KEY_FILE: "/f" }, "SMS_API_KEY, SMS_API_KEY_FILE"],
    [{ SMS_API_KEY_CMD: "true", SMS_API_KEY_FILE: "/f" }, "SMS_API_KEY_FILE, SMS_API_KEY_CMD"],
    [{ SMS_API_KEY: key, SMS_EMAIL: email }, "SMS_API_KEY, SMS_EMAIL and SMS_PASSWORD"],
    [{ SMS_API_KEY: key, SMS_PASSWORD: "secret" }, "SMS_API_KEY, SMS_EMAIL and SMS_PASSWORD"],
    [{ SMS_API_KEY_FILE: "/f", SMS_EMAIL: email }, "SMS_API_KEY_FILE, SMS_EMAIL and SMS_PASSWORD"],
  ])("are refused if two kinds are set: %j", async (environment, kinds) => {
    await expect(environmentCredentials(environment)).rejects.toMatchObject({
      kind: "usage",
      errorCode: "AMBIGUOUS_CREDENTIALS",
      message: `more than one kind of credentials is set: ${kinds}`,
    });
  });

  it.each([
    ["SMS_EMAIL is missing", { SMS_PASSWORD: "secret" }, "SMS_PASSWORD is set, but SMS_EMAIL is not"],
    ["SMS_EMAIL is empty", { SMS_EMAIL: "", SMS_PASSWORD: "secret" }, "SMS_PASSWORD is set, but SMS_EMAIL is empty"],
    ["SMS_API_KEY is white space", { SMS_API_KEY: " \n", SMS_PASSWORD: "" }, "SMS_API_KEY is set but empty"],
    ["SMS_API_KEY_CMD is empty", { SMS_API_KEY_CMD: "" }, "SMS_API_KEY_CMD is set but empty"],
    ["SMS_PASSWORD is missing", { SMS_EMAIL: email }, "SMS_EMAIL is set, but SMS_PASSWORD is not"],
    ["the key file is missing", { SMS_API_KEY_FILE: "/none/key" }, 'there is no file "/none/key" (SMS_API_KEY_FILE)'],
    ["the key file is a folder", { SMS_API_KEY_FILE: tmpdir() }, "is a folder, not a file (SMS_API_KEY_FILE)"],
    ["the key file is a key", { SMS_API_KEY_FILE: "sk_live_secret" }, "is an API key, not the path of a file"],
  ])("cannot be had if %s", async (_, environment, message) => {
    const result = environmentCredentials(environment);
    await expect(result).rejects.toMatchObject({ kind: "no-credentials", errorCode: "NO_CREDENTIALS" });
    await expect(result).rejects.toThrow(message);
  });

  it.each([
    ["SMS_API_KEY", () => ({ SMS_API_KEY: "hunter2" })],
    ["the file in SMS_API_KEY_FILE", () => ({ SMS_API_KEY_FILE: fileOf("hunter2") })],
  ])("are refused without a quote if %s is no key", async (where, environment) => {
    const result = environmentCredentials(environment());
    await expect(result).rejects.toThrow(where);
    await expect(result).rejects.not.toThrow("hunter2");
  });
});

describe("an account", () => {
  it.each([
    ["a@example.com", " "],
    ["zoë ~@example.com", "p:\u00A0ß~"],
  ])("may be %j with %j", (address, password) => {
    expect(checkedAccount(address, password)).toEqual({ kind: "account", email: address, password });
  });

  it.each([
    ["a:b@example.com", "secret"],
    ["", "secret"],
    [email, ""],
    ...["\0", "\n", "\x1F", "\x7F", "\x80", "\x9F"].flatMap((control) => [
      [`jo${control}`, "secret"],
      [email, `secret${control}`],
    ]),
  ])("cannot be %j with %j, and is not quoted", (address, password) => {
    const check = () => checkedAccount(address, password);
    expect(check).toThrow(/a character that cannot be sent|the password is empty/);
    expect(check).not.toThrow("secret");
  });
});
