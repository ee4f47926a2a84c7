import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, test } from "vitest";
import { makeFolder } from "../../src/files/file-system.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { needs } from "../support/needs.ts";
import { runSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

it("creates all missing folders with mode 0700", () => {
  makeFolder(join(folder, "a", "b", "c"));
  for (const path of ["a", "a/b", "a/b/c"]) {
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  }
});

it("accepts an existing folder", () => {
  makeFolder(folder);
  makeFolder("/");
  expect(existsSync(folder)).toBe(true);
});

it.each<[string, (path: string) => void, string]>([
  ["below a file", (path) => writeFileSync(path, ""), "ENOTDIR"],
  ["below a dangling link", (path) => symlinkSync(`${path}-not`, path), "ENOENT"],
])("throws the system's error %s", (_where, put, code) => {
  put(join(folder, "taken"));
  expect(() => makeFolder(join(folder, "taken", "own"))).toThrow(code);
});

test("does not loop on a file system that cannot create folders, nor does a send", needs("/proc"), async () => {
  expect(() => makeFolder("/proc/sms/state")).toThrow("ENOENT");
  const server = await startScriptedServer({ onRequest: accept() });
  const env = { SMS_BASE_URL: server.url, ...testKey, SMS_STATE_DIR: "/proc/sms" };
  expect(await runSms(sendHi, { env })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Warning: this message is not in the history: .*\n$/),
  });
});
