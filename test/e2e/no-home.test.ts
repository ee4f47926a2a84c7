import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { program } from "../support/sms.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const { sandbox } = withSandbox();
let folder: string;

/** Node may be installed where others cannot reach. */
const asOther = ["--reuid=12345", "--clear-groups", "env"];
const canRun = spawnSync("setpriv", [...asOther, process.execPath, "--version"]).status === 0;

const here = canRun ? needs("root", "CI to be set") : { skip: true, meta: { missing: "needs a Node for all users" } };

/** Runs a copy of the program as a user without a home. */
function asNobody(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const copy = program.map((word) => word.replace(/^.*\/bin\/sms\.js$/, join(folder, "bin", "sms.js")));
  const words = [...asOther, "-u", "HOME", ...copy, ...args];
  const service = { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox", PATH: process.env["PATH"] };
  return new Promise((resolve) => {
    const child = execFile("setpriv", words, { env: { ...service, ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe("a user without a home folder", here, () => {
  beforeAll(() => {
    // The folder of the project may be closed to others.
    folder = mkdtempSync("/tmp/sms-home-");
    chmodSync(folder, 0o755);
    for (const name of ["bin", "dist"]) cpSync(name, join(folder, name), { recursive: true });
    mkdirSync(join(folder, "closed"), { mode: 0o755 });
    mkdirSync(join(folder, "own"));
    chmodSync(join(folder, "own"), 0o777);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [[...hi, "--json"]],
    [["status"]],
    [["runs", "list"]],
    [[...hi, "--sandbox"]],
    [["completion", "candidates", "--", "runs", "show", ""]],
  ])("uses what the environment has, without a word about folders: %j", async (args) => {
    expect(await asNobody(args)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/warning|folder/i) });
  });

  it.each([
    [[...hi, "--run", "topup"], "SMS_STATE_DIR"],
    [["login", "--no-verify", "--base-url", "https://sms.example.com", "--key-command", "true"], "SMS_CONFIG_DIR"],
    [["profiles", "set", "sender", "ACME"], "SMS_CONFIG_DIR"],
  ])("is told for %j that %s names a folder", async (args, variable) => {
    const stderr = expect.stringMatching(new RegExp(`"errorCode":"NO_HOME".*"hint":".*${variable}`));
    expect(await asNobody([...args, "--json"])).toMatchObject({ code: 2, stderr });
  });

  it("stores where SMS_CONFIG_DIR and SMS_STATE_DIR name folders", async () => {
    const own = { SMS_CONFIG_DIR: join(folder, "own", "config"), SMS_STATE_DIR: join(folder, "own", "state") };
    const login = ["login", "--no-verify", "--key-command", "echo sk_test_sandbox"];
    for (const args of [login, [...hi, "--run", "topup", "--yes"], [...hi, "--once", "deploy"]])
      expect(await asNobody(args, own)).toMatchObject({ code: 0 });
  });

  it("is not told to make room in a folder that is closed to it", async () => {
    const SMS_STATE_DIR = join(folder, "closed", "state");
    const why = /EACCES[^]*check that you may write there, or set SMS_STATE_DIR to another folder/;

    const ended = await asNobody([...hi, "--run", "topup"], { SMS_STATE_DIR });

    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(why) });
    expect(ended).toMatchObject({ stderr: expect.not.stringContaining("room") });
  });
});
