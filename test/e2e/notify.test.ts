import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";
import { lineOnTerminal, type Typing } from "../support/terminal.ts";
import { temporaryFolder } from "../support/folders.ts";

let folder: string;
let server: ScriptedServer;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startScriptedServer({ onRequest: accept() });
});

const sms = shellLine([...program, "notify", "--to", "+254712345678", "--quiet"]);
const texts = () => server.requests.map(({ body }) => (JSON.parse(body) as { message: string }).message);

/** Runs a line at a terminal, in the folder of the test. The shell around it survives Ctrl-C, and reports its exit code. */
function atTerminal(line: string, typings: readonly Typing[] = []) {
  const environment = { ...testKey, SMS_BASE_URL: server.url, SMS_STATE_DIR: join(folder, "state"), HOME: folder };
  return lineOnTerminal(`trap : INT; cd ${shellLine([folder])}; ${line}`, environment, typings);
}

describe("sms notify at a terminal", needs("script", "bash"), () => {
  it("is a member of a pipeline, with its streams to itself", async () => {
    const { code, shown } = await atTerminal(`printf 'b\\na\\n' | ${sms} -- sort 2> said | tr ab AB; cat said`);
    expect({ code, shown }).toEqual({ code: 0, shown: "A\r\nB\r\nmsg_0001\r\n" });
  });

  it("asks at the terminal", async () => {
    const ask = "stty -echo; printf 'Password: '; read -r word; stty echo; test \"$word\" = secret";
    const line = `${sms} -- ${shellLine(["sh", "-c", ask])}`;
    const { code, shown } = await atTerminal(line, [{ sees: "Password: ", types: "secret\r" }]);

    expect([code, shown.includes("secret"), texts().length]).toEqual([0, false, 1]);
  });

  it.each([
    ["", "echo ready; exec sleep 10", 130],
    [", even if it then ends by itself", "trap 'exit 5' INT; echo ready; while :; do sleep 0.05; done", 5],
  ])("is followed by no message after Ctrl-C%s", async (_, script, code) => {
    const line = `${sms} -- ${shellLine(["sh", "-c", script])}`;

    expect(await atTerminal(line, [{ sees: "ready", types: "\u0003" }])).toMatchObject({ code });
    expect(texts()).toEqual([]);
  });

  // What is typed while bash hands the terminal over is lost at times.
  it("is stopped by Ctrl-Z and goes on with fg", { retry: 3 }, async () => {
    const waiting = shellLine(["sh", "-c", "printf 'BE%s\\n' GUN; read -r line; exit 4"]);
    const typings = [
      { sees: "% ", types: `${sms} -- ${waiting}\r` },
      { sees: "BEGUN", types: "\u001a" },
      // The prompt follows once the shell reads the terminal again.
      { sees: "Stopped", types: "" },
      { sees: "% ", types: "fg\r" },
      { sees: "fg\r\n", types: "" },
      { sees: "exit 4", types: "go\r" },
      { sees: "msg_0001", types: "echo code=$?\r" },
      { sees: "code=4", types: "exit\r" },
    ];
    const { shown } = await atTerminal("PS1='% ' bash --norc --noprofile -i", typings);

    expect(shown).toContain("code=4");
    expect(texts()).toEqual([expect.stringContaining("sh failed (4)")]);
  });
});

describe("a command that sms may not send signals to, such as sudo", needs("root", "setpriv"), () => {
  it("is waited for", async () => {
    const asAnother = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const words = ["notify", "--to", "+254712345678", "--", ...asAnother, "sh", "-c", "echo ready; sleep 0.3; exit 5"];
    const env = { PATH: process.env["PATH"], ...testKey, SMS_BASE_URL: server.url, HOME: folder };
    const child = spawn("setpriv", ["--bounding-set=-kill", ...program, ...words], { env });
    child.stdout.once("data", () => (["SIGTERM", "SIGHUP"] as const).forEach((name) => child.kill(name)));

    expect(await once(child, "exit")).toEqual([5, null]);
    expect(texts()).toEqual([expect.stringContaining("setpriv failed (5)")]);
  });
});
