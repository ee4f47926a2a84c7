import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";

const folder = temporaryFolder();
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer({ onRequest: accept() });
});

/** Runs a line of a POSIX shell, which makes the bytes that no string of ours can have. */
function inShell(line: string): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: folder, ...foldersIn(folder), ...testKey, SMS_BASE_URL: server.url };
  return new Promise((resolve) => {
    const child = execFile("sh", ["-c", line], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve(`${child.exitCode} ${stdout}${stderr}`.split("\n")[0] ?? ""),
    );
  });
}

const sms = shellLine(program);
const send = `${sms} send --to +254712345678 -m Hi`;
const latin1 = (before: string) => `"${before}$(printf 'caf\\351')"`;

describe("bytes that are not UTF-8", needs("POSIX shell", "/proc"), () => {
  it("are refused where they would be replaced, and named", async () => {
    const answers = await Promise.all(
      [
        `${send} --once ${latin1("")}`,
        `${send} ${latin1("--once=")}`,
        `${sms} notify --to +254712345678 -- touch ${latin1("")}`,
        `${sms} sandbox exec touch ${latin1("")}`,
        `${sms} history --to ${latin1("")}`,
        `SMS_SENDER=${latin1("")} ${send}`,
        `SMS_STATE_DIR=${latin1(`${folder}/`)} ${send} --once key`,
      ].map(inShell),
    );
    expect(answers).toEqual([
      "2 Error: argument 7, after --once, is not UTF-8 text",
      "2 Error: argument 6 is not UTF-8 text",
      "2 Error: argument 6 is not UTF-8 text",
      "2 Error: argument 4 is not UTF-8 text",
      "2 Error: argument 3, after --to, is not UTF-8 text",
      "2 Error: the variable SMS_SENDER is not UTF-8 text",
      "2 Error: the variable SMS_STATE_DIR is not UTF-8 text",
    ]);
    expect([server.requests.length, readdirSync(folder)]).toEqual([0, []]);
  });

  it("are left alone where nothing uses them", async () => {
    expect(await inShell(`FILE=${latin1("")} ${send} --quiet`)).toBe("0 msg_0001");
  });
});
