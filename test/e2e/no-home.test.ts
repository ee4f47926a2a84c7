import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { program } from "../support/sms.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const { sandbox } = withSandbox();
let folder: string;

async function asNobody(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const copy = program.map((word) => word.replace(/^.*\/bin\/sms\.js$/, join(folder, "bin", "sms.js")));
  const words = [...asOther, "-u", "HOME", ...copy, ...args];
  const env = { PATH: process.env["PATH"], ...more };
  try {
    const { stdout, stderr } = await promisify(execFile)("setpriv", words, { env, timeout: 60_000 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = Object(error);
    return { code, stdout: String(stdout), stderr: String(stderr) };
  }
}

/** Node may be installed where others cannot reach. */
const asOther = ["--reuid=12345", "--clear-groups", "env"];
const canRun = spawnSync("setpriv", [...asOther, process.execPath, "--version"]).status === 0;

const here = canRun
  ? needs("root", "CI to be set")
  : { skip: true, meta: { missing: "needs a Node that other users may run" } };

describe("a user without a home folder", here, () => {
  beforeAll(async () => {
    // The folder of the project may be closed to others.
    folder = mkdtempSync("/tmp/sms-home-");
    chmodSync(folder, 0o755);
    for (const name of ["bin", "dist"]) cpSync(name, join(folder, name), { recursive: true });
    mkdirSync(join(folder, "closed"), { mode: 0o755 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const given = () => ({ SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" });

  it("sends with what the environment has, without a word about folders", async () => {
    const { code, stderr, stdout } = await asNobody([...hi, "--json"], given());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ success: true });
  });

  it.each([
    [["status"]],
    [["runs", "list"]],
    [[...hi, "--sandbox"]],
    [["completion", "candidates", "--", "runs", "show", ""]],
  ])("%j works", async (args) => {
    expect(await asNobody(args, given())).toMatchObject({ code: 0 });
  });

  it.each([
    [[...hi, "--run", "topup"], "SMS_STATE_DIR"],
    [["login", "--no-verify", "--base-url", "https://sms.example.com", "--key-command", "true"], "SMS_CONFIG_DIR"],
    [["profiles", "set", "sender", "ACME"], "SMS_CONFIG_DIR"],
  ])("%j says that %s names a folder", async (args, variable) => {
    const { code, stderr } = await asNobody([...args, "--json"], given());
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: "NO_HOME", hint: expect.stringContaining(variable) });
  });

  it("stores where SMS_CONFIG_DIR and SMS_STATE_DIR name folders", async () => {
    const env = {
      SMS_BASE_URL: sandbox().url,
      SMS_CONFIG_DIR: join(folder, "own", "config"),
      SMS_STATE_DIR: join(folder, "own", "state"),
    };
    mkdirSync(join(folder, "own"), { mode: 0o777 });
    chmodSync(join(folder, "own"), 0o777);
    for (const args of [
      ["login", "--no-verify", "--key-command", "echo sk_test_sandbox"],
      [...hi, "--run", "topup", "--yes"],
      [...hi, "--once", "deploy"],
    ]) {
      expect(await asNobody(args, env)).toMatchObject({ code: 0 });
    }
  });

  it("is not told to make room in a folder that is closed to it", async () => {
    const state = join(folder, "closed", "state");
    const { code, stderr } = await asNobody([...hi, "--run", "topup"], { ...given(), SMS_STATE_DIR: state });

    expect(code).toBe(2);
    expect(stderr).toContain("EACCES");
    expect(stderr).toContain("check that you may write there, or set SMS_STATE_DIR to another folder");
    expect(stderr).not.toContain("room");
  });
});
