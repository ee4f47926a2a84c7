import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { failed, failureOf } from "../support/fault.ts";
import { needs } from "../support/needs.ts";
import { runAgainst, sendHi, testKey } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { isStandalone, program, runSms } from "../support/sms.ts";

describe.concurrent("a send that cannot begin", () => {
  test("exits with 4 without credentials", async () => {
    const { ended, connections } = await runAgainst({ onRequest: accept() }, [...sendHi, "--json"], { env: {} });

    expect(failureOf(ended)).toEqual(failed({ exitCode: 4, outcome: "unsent", errorCode: "NO_CREDENTIALS" }));
    expect(connections).toBe(0);
  });

  test("exits with 1 for a fault of its own, without a stack trace", async () => {
    // An unexpected fault: a built-in function throws that every request needs.
    const broken = encodeURIComponent('JSON.stringify = () => { throw new TypeError("sabotaged") };');
    const NODE_OPTIONS = `--import=data:text/javascript,${broken}`;
    const env = { ...testKey, SMS_BASE_URL: "http://127.0.0.1:1", NODE_OPTIONS };

    const ended = await runSms([...sendHi, "--retries", "0"], { env });

    // Nothing gets into a standalone program that way.
    expect(ended).toMatchObject({ code: isStandalone ? 9 : 1, stdout: "" });
    expect(ended.stderr.includes("sabotaged")).toBe(!isStandalone);
    expect(ended.stderr).not.toMatch(/^\s+at |\.js:\d+|\.ts:\d+/m);
  });
});

test("a receipt that cannot be written is warned of, and the exit code stays 0", needs("/dev/full"), async () => {
  const server = await startScriptedServer({ onRequest: accept() });
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", ...testKey, SMS_BASE_URL: server.url };
  const line = `${shellLine([...program, ...sendHi])} > /dev/full`;

  const { stderr } = await promisify(execFile)("sh", ["-c", line], { env });

  expect(stderr).toContain("Warning: the result could not be written: ENOSPC");
});
