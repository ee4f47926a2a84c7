import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";
import { ownFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { isStandalone, program, runSms, startSms } from "../support/sms.ts";
import { until } from "../support/until.ts";

let server: ScriptedServer;
let answerMs = 0;
beforeAll(async () => {
  server = await startScriptedServer({ onRequest: (...request) => setTimeout(() => accept()(...request), answerMs) });
});

const sms = shellLine(program);
const send = shellLine([...program, ...sendHi]);

/** Runs a line of a POSIX shell, and returns the exit code and all that is shown. */
function inShell(line: string): Promise<string> {
  const env = { PATH: process.env["PATH"], ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url };
  return new Promise((resolve) => {
    const child = execFile("sh", ["-c", line], { env }, (_, stdout, stderr) =>
      resolve(`${child.exitCode} ${stdout}${stderr}`),
    );
  });
}

it("a fault of its own ends with 1, without a stack trace", async () => {
  // An unexpected fault: a built-in function throws that every request needs.
  const broken = encodeURIComponent('JSON.stringify = () => { throw new TypeError("sabotaged") };');
  const NODE_OPTIONS = `--import=data:text/javascript,${broken}`;

  const ended = await runSms(sendHi, { env: { ...testKey, SMS_BASE_URL: server.url, NODE_OPTIONS } });

  // Nothing gets into a standalone program that way.
  expect(ended.code).toBe(isStandalone ? 0 : 1);
  expect(ended.stderr.includes("sabotaged")).toBe(!isStandalone);
  expect(ended.stderr).not.toMatch(/^\s+at |\.js:\d+|\.ts:\d+/m);
});

it("the version says nothing to a reader that went away", needs("POSIX shell"), async () => {
  expect(await inShell(`${sms} -V`)).toBe(`0 ${version}\n`);
  expect(await inShell(`{ sleep 0.2; ${sms} --version; echo $? >&2; } | true`)).toBe("0 0\n");
});

it(
  "a result that cannot be written is warned of, and only a list's exit code says so",
  needs("/dev/full"),
  async () => {
    for (const [code, command] of [
      [0, send],
      [0, `${sms} --version`],
      [0, `${sms} optout add +254712345699`],
      [2, `echo +254712345678 | ${sms} clean - -o - --quiet`],
    ])
      expect(await inShell(`${command} >/dev/full`)).toContain(
        `${code} Warning: the result could not be written: ENOSPC`,
      );
  },
);

describe("bytes that are not UTF-8", needs("POSIX shell", "/proc"), () => {
  const latin1 = "\"$(printf 'caf\\351')\"";

  it.each([
    [`${send} --once ${latin1}`, "2 Error: argument 7, after --once, is not UTF-8 text\n"],
    [`${sms} notify --to +254712345678 -- touch ${latin1}`, "2 Error: argument 6 is not UTF-8 text\n"],
    [`SMS_SENDER=${latin1} ${send}`, "2 Error: the variable SMS_SENDER is not UTF-8 text\n"],
    [`FILE=${latin1} ${send} --quiet`, "0 msg_0001\n"],
  ])("are named where they would be replaced, and left alone where nothing uses them: %s", async (line, shown) => {
    expect(await inShell(line)).toContain(shown);
  });
});

describe("Node's debugger", needs("/proc", "POSIX shell"), () => {
  it("is not started by SIGUSR1, which ends nothing", async () => {
    answerMs = 1_000;
    const before = server.requests.length;
    const { child, ended } = startSms(sendHi, { env: { ...testKey, SMS_BASE_URL: server.url } });
    await until(() => server.requests.length > before);

    for (let count = 0; count < 3; count += 1) child.kill("SIGUSR1");

    // The debugger says so in the thread that starts it, before the answer is read.
    expect(listens(child.pid)).toBe(false);
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});

function listens(pid: number | undefined): boolean {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return undefined;
    }
  });
  const listening = readFileSync(`/proc/${pid}/net/tcp`, "utf8").matchAll(/^ *\d+: \S+ \S+ 0A(?: +\S+){5} +(\d+)/gm);
  return Array.from(listening, ([, inode]) => `socket:[${inode}]`).some((socket) => open.includes(socket));
}
