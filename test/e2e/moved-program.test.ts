import { spawn } from "node:child_process";
import { cpSync, existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/folders.ts";

const notify = ["notify", "--to", "+254712345678", "--", "sh", "-c"];
const upgrade = 'for file in "$0"/dist/*.cjs; do echo "throw 1" >"$file"; done';

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly isWatched?: true;
  readonly env?: Readonly<Record<string, string>>;
}

const commands: readonly Command[] = [
  { name: "a message", args: sendHi },
  { name: "a message that a person waits for", args: sendHi, isWatched: true },
  { name: "a message under a key of --once", args: [...sendHi, "--once", "a"] },
  { name: "a run", args: [...sendHi, "--to", "+254712345679", "--rate", "60000"] },
  {
    name: "a message after its own upgrade, whose credits are reserved",
    args: [...notify, upgrade, "COPY"],
    env: { SMS_API_KEY: "sk_live_abc", SMS_DAILY_CREDITS: "9", TZ: "UTC" },
  },
];

it.each(commands)(
  "ends as the service answered although the program is moved meanwhile: $name",
  needs("script", "the npm package", "CI to be set"),
  async ({ args, isWatched, env: more }) => {
    const folder = temporaryFolder();
    const copy = join(folder, "program");
    const words = [...copyProgram(copy), ...args.map((word) => (word === "COPY" ? copy : word))];
    const server = await startScriptedServer({
      onRequest: (...request) => {
        if (existsSync(copy)) renameSync(copy, `${copy}-moved`);
        // Longer than until a terminal loads its spinner.
        setTimeout(() => accept()(...request), 600);
      },
    });
    const env = { HOME: folder, SMS_BASE_URL: server.url, ...testKey, ...more };

    const { code, shown } = await (isWatched ? lineOnTerminal(shellLine(words), env) : run(words, env));

    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/Queued|2 of 2 accepted/) });
    expect(shown).not.toMatch(/ENOENT|^ +at /m);
  },
);

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
