import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, test } from "vitest";
import { makeFolder } from "../../src/files/folder.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { needs } from "../support/needs.ts";
import { runSms } from "../support/sms.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sms-folder-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("makes all that is missing, for the owner alone", () => {
  makeFolder(join(folder, "a", "b", "c"));
  for (const path of ["a", "a/b", "a/b/c"]) {
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  }
});

it("leaves what is there as it is", () => {
  makeFolder(folder);
  makeFolder("/");
  expect(existsSync(folder)).toBe(true);
});

it.each<[string, (path: string) => void, string]>([
  ["beneath a file", (path) => writeFileSync(path, ""), "ENOTDIR"],
  ["beneath a link that leads nowhere", (path) => symlinkSync(`${path}-not`, path), "ENOENT"],
])("throws what the system says %s", (_where, put, code) => {
  put(join(folder, "taken"));
  expect(() => makeFolder(join(folder, "taken", "own"))).toThrow(code);
});

test("ends where the file system makes no folder, and so does a send", needs("/proc"), async () => {
  expect(() => makeFolder("/proc/sms/state")).toThrow("ENOENT");
  const server = await startScriptedServer({ onRequest: accept() });
  const env = { SMS_BASE_URL: server.url, ...testKey, SMS_STATE_DIR: "/proc/sms" };
  expect(await runSms(sendHi, { env })).toMatchObject({ code: 0, stderr: "" });
  await server.close();
});
