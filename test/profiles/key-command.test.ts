import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandHost, commandWords, keyFromCommand } from "../../src/profiles/key-command.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/folders.ts";

const key = "sk_live_canary77";
const folder = temporaryFolder();
function hostWith(path: string, stop = new AbortController()): CommandHost {
  return {
    environment: { PATH: path, KEY: key },
    platform: process.platform,
    stdin: { isTerminal: () => false, isPipe: () => true, chunks: () => new ReadableStream<Uint8Array>() },
    interruption: () => ({ stop: stop.signal, leave: new AbortController().signal }),
  };
}

const systemPath = process.env["PATH"] ?? "";
const run = (command: string, ms?: number, stop?: AbortController) =>
  keyFromCommand(command, "SMS_API_KEY_CMD", { host: hostWith(systemPath, stop), ms });
const failure = (command: string, ms?: number) =>
  run(command, ms).then(
    () => undefined,
    (error: unknown) => error,
  );

/** Whether a command has written a line to this file. */
const isWhole = (path: string) => existsSync(path) && readFileSync(path, "utf8").endsWith("\n");

describe("commandWords", () => {
  it.each<[string, readonly string[]]>([
    ["op read op://vault/sms/key", ["op", "read", "op://vault/sms/key"]],
    ["  a\tb\n c ", ["a", "b", "c"]],
    [`pass 'my keys/sms key' "two words"`, ["pass", "my keys/sms key", "two words"]],
    [String.raw`a \"b\" c\ d \\`, ["a", '"b"', "c d", "\\"]],
    [String.raw`a "x\"y\\z\$\n" 'x\y'`, ["a", String.raw`x"y\z$\n`, String.raw`x\y`]],
    [`a b"c"'d'e "" ''`, ["a", "bcde", "", ""]],
    ["a \\\n b c\\\nd", ["a", "b", "cd"]],
    ["a '$HOME' ~ * {x,y} `id` '|' \\; # g", ["a", "$HOME", "~", "*", "{x,y}", "`id`", "|", ";", "#", "g"]],
  ])("splits %j as a shell does, and expands nothing", (command, words) => {
    expect(commandWords(command, "x")).toEqual(words);
  });

  it.each(["a | b", "a $HOME", "a $(id)", "a >f", "a <f", "a; b", "a && b"])(
    "refuses %j, which needs a shell",
    (command) => {
      expect(() => commandWords(command, "x")).toThrow(
        expect.objectContaining({ errorCode: "INVALID_KEY_COMMAND", hint: expect.stringContaining("sh -c '…'") }),
      );
    },
  );

  it.each(["", "  ", "''", "a 'b", 'a "b', "a \\", "./key", "bin/key", "../key"])("refuses %j", (command) => {
    expect(() => commandWords(command, "x")).toThrow(
      expect.objectContaining({ kind: "usage", errorCode: "INVALID_KEY_COMMAND" }),
    );
  });
});

describe("keyFromCommand", needs("POSIX shell"), () => {
  it("takes the first line of the output, as often as it is asked", async () => {
    const count = join(folder, "count");
    const command = `sh -c 'printf x >> "${count}"; printf " %s \\r\\nsecond\\n" "$KEY"'`;
    expect(await run(command)).toEqual({ secret: key, mode: "live" });
    await run(command);
    expect(readFileSync(count, "utf8")).toBe("xx");
  });

  it("gives it no piped standard input, which may have the recipients", async () => {
    expect(await run(`sh -c 'cat; echo "$KEY"'`)).toMatchObject({ secret: key });
  });

  it.each([
    ["a status", `sh -c 'echo "$KEY"; exit 3'`, "ended with status 3"],
    ["a signal", `sh -c 'echo "$KEY"; kill -9 $$'`, "was ended by SIGKILL"],
    ["no such program", "no-such-program-here", "names a program that is not on the PATH"],
    ["no such path", "/no/such/program", "cannot be started (ENOENT)"],
  ])("fails with exit code 4 by %s, and quotes nothing", async (_, command, how) => {
    const error = await failure(command);
    expect(error).toMatchObject({ kind: "no-credentials", errorCode: "KEY_COMMAND_FAILED" });
    expect(String(error)).toBe(`SmsError: the key command in SMS_API_KEY_CMD ${how}`);
  });

  it.each([
    ["nothing", "true"],
    ["another secret", "echo hunter2-canary77"],
    ["a key on the second line", `sh -c 'echo; echo "$KEY"'`],
    ["two words", `sh -c 'echo "$KEY" "$KEY"'`],
  ])("refuses %s, and quotes nothing", async (_, command) => {
    const error = await failure(command);
    expect(error).toMatchObject({ kind: "usage", errorCode: "INVALID_KEY" });
    expect(JSON.stringify(error) + String(error)).not.toContain("canary77");
  });

  it("ends a command that takes too long, even if it ignores SIGTERM", async () => {
    const pid = join(folder, "pid");
    // Time enough for the command to begin.
    for (let seconds = 0.3; !isWhole(pid); seconds *= 4) {
      const error = await failure(`sh -c 'trap "" TERM; echo $$ > "${pid}"; exec sleep 1000'`, seconds * 1000);
      expect(error).toMatchObject({ message: `the key command in SMS_API_KEY_CMD did not end within ${seconds} s` });
    }
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  });

  it("does not wait for what the command leaves behind with its output open", async () => {
    const pid = join(folder, "left");
    expect(await run(`sh -c 'sleep 60 & echo $! > "${pid}"; echo "$KEY"'`)).toMatchObject({ secret: key });
    // It is there still.
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
  });

  it("ends the command when a signal comes", async () => {
    const stop = new AbortController();
    const pid = join(folder, "interrupted");
    const ended = run(`sh -c 'echo $$ > "${pid}"; exec sleep 20'`, 30_000, stop).catch((error: unknown) => error);
    await expect.poll(() => isWhole(pid)).toBe(true);
    stop.abort("SIGTERM");
    expect(await ended).toMatchObject({ kind: "terminated" });
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  });

  it("takes no program from the working folder", async () => {
    const trap = `sms-trap-${process.pid}`;
    writeFileSync(trap, "#!/bin/sh\necho sk_live_trap\n");
    chmodSync(trap, 0o755);
    try {
      for (const path of ["", ".", `.${delimiter}${systemPath}`, `${delimiter}${systemPath}`]) {
        await expect(keyFromCommand(trap, "x", { host: hostWith(path) })).rejects.toMatchObject({
          errorCode: "KEY_COMMAND_FAILED",
        });
      }
    } finally {
      rmSync(trap);
    }
  });
});
