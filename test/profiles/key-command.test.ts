import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandHost, keyFromCommand } from "../../src/profiles/key-command.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/folders.ts";

const key = "sk_live_canary77";
const folder = temporaryFolder();
function hostWith(path: string, stop = new AbortController()): CommandHost {
  return {
    environment: { PATH: path, KEY: key },
    stdin: { isTerminal: () => false, isPipe: () => true, chunks: () => new ReadableStream<Uint8Array>() },
    interruption: () => ({ stop: stop.signal, leave: new AbortController().signal }),
  };
}

const systemPath = process.env["PATH"] ?? "";
const run = (command: string, ms?: number, stop?: AbortController) =>
  keyFromCommand(command, "SMS_API_KEY_CMD", hostWith(systemPath, stop), ms);
const failure = (command: string, ms?: number) => run(command, ms).catch((error: unknown) => error);

const isWhole = (path: string) => existsSync(path) && readFileSync(path, "utf8").endsWith("\n");

describe("keyFromCommand", needs("POSIX shell"), () => {
  it("has the shell run the command, and takes the first line of the output, as often as it is asked", async () => {
    const count = join(folder, "count");
    const command = `printf x >> "${count}"; printf " %s \\r\\nsecond\\n" "$KEY"`;
    expect(await run(command)).toEqual({ secret: key, mode: "live" });
    await run(command);
    expect(readFileSync(count, "utf8")).toBe("xx");
  });

  it("gives it no piped standard input, which may have the recipients", async () => {
    expect(await run(`cat; echo "$KEY"`)).toMatchObject({ secret: key });
  });

  it.each([
    ["a status", `echo "$KEY"; exit 3`, "ended with status 3"],
    ["a signal", `echo "$KEY"; kill -9 $$`, "was ended by SIGKILL"],
    ["no such program", "no-such-program-here 2>/dev/null", "ended with status 127"],
  ])("fails with exit code 4 by %s, and quotes nothing", async (_, command, how) => {
    const error = await failure(command);
    expect(error).toMatchObject({ kind: "no-credentials", errorCode: "KEY_COMMAND_FAILED" });
    expect(String(error)).toBe(`SmsError: the key command in SMS_API_KEY_CMD ${how}`);
  });

  it.each([
    ["nothing", "true"],
    ["another secret", "echo hunter2-canary77"],
    ["a key on the second line", `echo; echo "$KEY"`],
    ["two words", `echo "$KEY" "$KEY"`],
  ])("refuses %s, and quotes nothing", async (_, command) => {
    const error = await failure(command);
    expect(error).toMatchObject({ kind: "usage", errorCode: "INVALID_KEY" });
    expect(JSON.stringify(error) + String(error)).not.toContain("canary77");
  });

  it("ends a command that takes too long, even if it ignores SIGTERM", async () => {
    const pid = join(folder, "pid");
    // Time enough for the command to begin.
    for (let seconds = 0.3; !isWhole(pid); seconds *= 4) {
      const error = await failure(`trap "" TERM; echo $$ > "${pid}"; exec sleep 1000`, seconds * 1000);
      expect(error).toMatchObject({ message: `the key command in SMS_API_KEY_CMD did not end within ${seconds} s` });
    }
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  });

  it("does not wait for what the command leaves behind with its output open", async () => {
    const pid = join(folder, "left");
    expect(await run(`sleep 60 & echo $! > "${pid}"; echo "$KEY"`)).toMatchObject({ secret: key });
    // It is there still.
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
  });

  it("ends the command when a signal comes", async () => {
    const stop = new AbortController();
    const pid = join(folder, "interrupted");
    const result = run(`echo $$ > "${pid}"; exec sleep 20`, 30_000, stop).catch((error: unknown) => error);
    await expect.poll(() => isWhole(pid)).toBe(true);
    stop.abort("SIGTERM");
    expect(await result).toMatchObject({ kind: "terminated" });
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  });
});
