import { execFile } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const recipient = "+254722000111";
const message = "Of nobody else";
let server: ScriptedServer;
const folder = temporaryFolder();
const cache = () => join(folder, ".compile-cache");

beforeAll(async () => {
  server = await startScriptedServer({ onRequest: accept() });
  for (const part of ["bin", "dist"]) cpSync(part, join(folder, part), { recursive: true });
});

beforeEach(() => {
  for (const path of [cache(), `${cache()}-other`]) rmSync(path, { recursive: true, force: true });
});

/** Sends with the copied program, which says nothing about its cache. */
async function send(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const home = join(folder, "home");
  const environment = { PATH: process.env["PATH"], ...foldersIn(home), SMS_BASE_URL: server.url, ...testKey, ...env };
  const args = [join(folder, "bin/sms.js"), "send", "--to", recipient, "--message", message];
  const { stderr } = await promisify(execFile)(process.execPath, args, { env: environment });
  expect(stderr).toBe("");
}

const kept = () => readdirSync(cache(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe("Node's compile cache", needs("Node's compile cache", "user ids"), () => {
  it("is private, beside the program, and holds nothing of what was sent", async () => {
    await send();
    expect(statSync(cache()).mode & 0o777).toBe(0o700);
    const text = kept().map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(text.length).toBeGreaterThan(3);
    for (const secret of [testKey.SMS_API_KEY, recipient.slice(1), message, server.url]) {
      expect(text.join("")).not.toContain(secret);
    }
  });

  it.for<[string, () => unknown]>([
    ["a folder that others may read", () => chmodSync(cache(), 0o750)],
    ["a folder that others may write to", () => chmodSync(cache(), 0o707)],
    ["a link", () => (renameSync(cache(), `${cache()}-other`), symlinkSync(`${cache()}-other`, cache()))],
    ["a folder of another user", () => chownSync(cache(), 65_534, 65_534)],
  ])("is not used in %s", async ([what, change], { skip }) => {
    skip(what.includes("user") && needs("root").skip, "needs root");
    mkdirSync(cache(), { mode: 0o700 });
    change();

    await send();

    expect(kept()).toEqual([]);
  });

  it("is off with NODE_DISABLE_COMPILE_CACHE", async () => {
    await send({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(!existsSync(cache()) || kept().length === 0).toBe(true);
  });
});
