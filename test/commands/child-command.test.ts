import { existsSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runChildCommand } from "../../src/sending/notify/child-command.ts";
import { systemHost } from "../../src/host.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/folders.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
/** Runs a command, and gives it these signals once it has made the file `ready`. */
function run(words: readonly [string, ...string[]], signals: readonly NodeJS.Signals[] = [], isTerminal = false) {
  const host = systemHost();
  const stream = { isTerminal: () => isTerminal };
  let released = 0;
  const ended = runChildCommand(
    words,
    { PATH: process.env["PATH"], FOLDER: folder },
    {
      ...host,
      stdin: { ...host.stdin, ...stream },
      stdout: { ...host.stdout, ...stream },
      stderr: { ...host.stderr, ...stream },
      divertSignals: (take) => {
        void whenReady().then(() => signals.forEach(take));
        return () => void released++;
      },
    },
  );
  return ended.then((end) => ({ ...end, released }));
}

async function whenReady(): Promise<void> {
  while (!existsSync(join(folder, "ready"))) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a command that sms runs", needs("POSIX shell"), () => {
  it.each<[string, readonly [string, ...string[]], number]>([
    ["its own exit code", ["sh", "-c", "exit 42"], 42],
    ["its arguments without a shell", ["test", "$HOME *", "=", "$HOME *"], 0],
    ["the environment that it is given", ["sh", "-c", 'test -d "$FOLDER" && test -z "$HOME"'], 0],
    ["128 and the number of the signal that ended it", ["sh", "-c", "kill -KILL $$"], 137],
  ])("ends with, or gets, %s", async (_, words, exitCode) => {
    expect(await run(words)).toEqual({ kind: "ended", exitCode, isInterrupted: false, released: 1 });
  });

  it("is on Windows not one of the working folder, which Windows would take first", async () => {
    writeFileSync(join(folder, "trap.exe"), "#!/bin/sh\nexit 42\n", { mode: 0o755 });
    const there = process.cwd();
    process.chdir(folder);
    const end = async (path: string) =>
      (await runChildCommand(["trap"], { PATH: path }, { ...systemHost(), platform: "win32" })).exitCode;
    try {
      expect([await end("."), await end(""), await end(folder)]).toEqual([127, 127, 42]);
    } finally {
      process.chdir(there);
    }
  });

  it.each<[string, readonly NodeJS.Signals[], boolean, number]>([
    ["SIGINT without a terminal", ["SIGINT"], false, 130],
    ["SIGUSR2, and no SIGQUIT at a terminal", ["SIGQUIT", "SIGUSR2"], true, 128 + constants.signals.SIGUSR2],
    ["SIGTERM at a terminal", ["SIGINT", "SIGTERM"], true, 143],
  ])("gets %s", async (_, signals, isTerminal, exitCode) => {
    const script = `fs.writeFileSync("${folder}/ready", ""); setInterval(() => {}, 1000)`;
    expect(await run([process.execPath, "-e", script], signals, isTerminal)).toMatchObject({ exitCode });
  });
});
