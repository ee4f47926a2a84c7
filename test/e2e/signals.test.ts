import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { startSms } from "../support/sms.ts";

let folder: string;
let server: ScriptedServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sms-"));
  server = await startScriptedServer();
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s while login waits for the service exits with %i", async (name, code) => {
  const waiting = server.requests.length;
  const running = startSms(["login", "--base-url", server.url, "--with-key"], {
    stdin: "sk_test_abc\n",
    env: { SMS_CONFIG_DIR: join(folder, "config") },
  });
  await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(waiting + 1);
  running.signal(name);
  expect(await running.ended).toMatchObject({ code, stdout: "", stderr: "Error: interrupted\n" });
});
