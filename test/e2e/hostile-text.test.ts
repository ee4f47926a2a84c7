import { describe, expect, test } from "vitest";
import { runAgainst, sendHi } from "../support/scripted-run.ts";
import { accept, answer } from "../support/scripts.ts";

describe.concurrent("text from the service", () => {
  /** Clears the terminal, rings, overwrites a line, forges one, and reverses the text direction. */
  const hostile = "\u001B[2J\u0007over\rforged\nsms: all is well\u009B31m\u007F\u202Eevil\u2066\u2028\u2029\u200Fend";
  const drives = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/;
  const inError = answer(400, { error: hostile, errorCode: hostile });
  const inReceipt = accept({ messageId: hostile, senderId: hostile, status: hostile });
  // --verbose shows the answer of a proxy or of an unknown server. Node reads no header with a control below U+0080.
  const inHead = answer(200, "<h1>", { "x-hostile": "\u009B31m", server: "\u009D0;evil\u009C" });

  test.each([
    { where: "an error", script: inError, exitCode: 3, args: [] },
    { where: "a receipt", script: inReceipt, exitCode: 0, args: ["--quiet"] },
    { where: "headers", script: inHead, exitCode: 10, args: ["--verbose"] },
  ])("in $where cannot control the terminal, with $args", async ({ script, exitCode, args }) => {
    const { ended } = await runAgainst({ onRequest: script }, [...sendHi, ...args]);
    expect(ended.code).toBe(exitCode);
    expect(ended.stdout + ended.stderr).not.toMatch(drives);
    expect(ended.stdout + ended.stderr).not.toMatch(/^sms: all is well/m);
    expect(ended.stdout + ended.stderr).toMatch(/evil/);
  });

  test("is complete in JSON, escaped", async () => {
    const failed = await runAgainst({ onRequest: inError }, [...sendHi, "--json"]);
    expect(JSON.parse(failed.ended.stderr)).toMatchObject({ error: hostile, errorCode: "REFUSED" });
    const accepted = await runAgainst({ onRequest: inReceipt }, [...sendHi, "--json"]);

    expect(JSON.parse(accepted.ended.stdout)).toMatchObject({ messageId: hostile, senderId: hostile });
  });
});
