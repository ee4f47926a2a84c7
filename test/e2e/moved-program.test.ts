import { spawn } from "node:child_process";
import { cpSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/folders.ts";

const commands = [
  { name: "a message", args: sendHi, isWatched: false },
  { name: "a message that a person waits for", args: sendHi, isWatched: true },
  { name: "a message under a key of --once", args: [...sendHi, "--once", "a"], isWatched: false },
  { name: "a run", args: [...sendHi, "--to", "+254712345679", "--rate", "60000"], isWatched: false },
];

it(
  "ends as the service answered although the program is moved meanwhile",
  needs("script", "the npm package", "CI to be set"),
  async () => {
    const ended = await Promise.all(
      commands.map(async ({ name, args, isWatched }) => {
        const folder = temporaryFolder();
        const copy = join(folder, "program");
        const sms = copyProgram(copy);
        const later: Script = (...request) => {
          renameSync(copy, `${copy}-moved`);
          // Longer than until a terminal loads its spinner.
          setTimeout(() => accept()(...request), 600);
        };
        const server = await startScriptedServer({
          onRequest: (...request) => (request[2] === 0 ? later : accept())(...request),
        });
        const line = [...sms, ...args];
        const env = { HOME: folder, SMS_BASE_URL: server.url, ...testKey };
        const { code, shown } = await (isWatched ? lineOnTerminal(shellLine(line), env) : run(line, env));
        rmSync(folder, { recursive: true });
        return { name, code, isAccepted: /Queued|2 of 2 accepted/.test(shown), isFault: /ENOENT|^ +at /m.test(shown) };
      }),
    );
    expect(ended).toEqual(commands.map(({ name }) => ({ name, code: 0, isAccepted: true, isFault: false })));
  },
);

it("tells how an upgrade of itself ended", needs("POSIX shell", "the npm package"), async () => {
  const folder = temporaryFolder();
  const copy = join(folder, "program");
  const sms = copyProgram(copy);
  const server = await startScriptedServer({ onRequest: accept() });
  const upgrade = 'for file in "$0"/dist/*.cjs; do echo "throw 1" >"$file"; done';
  const line = [...sms, "notify", "--to", "+254712345678", "--", "sh", "-c", upgrade, copy];
  const { code, shown } = await run(line, { HOME: folder, SMS_BASE_URL: server.url, ...limitedKey });

  expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining("Queued") });
});

/** A key whose credits are reserved before the message is sent. */
const limitedKey = { SMS_API_KEY: "sk_live_abc", SMS_DAILY_CREDITS: "9", TZ: "UTC" };

/** Copies the program to a folder, and returns the words that start the copy. */
function copyProgram(folder: string): readonly string[] {
  const [node, path] = program;
  for (const part of ["bin", "dist"]) {
    cpSync(join(dirname(String(path)), "..", part), join(folder, part), { recursive: true });
  }
  return [node, join(folder, "bin", "sms.js")];
}

function run([file = "", ...args]: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(file, args, { env: { PATH: process.env["PATH"], ...env } });
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  return new Promise<{ readonly code: number | null; readonly shown: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, shown }));
  });
}
