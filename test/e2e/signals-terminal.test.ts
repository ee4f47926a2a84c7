import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { atEnd } from "../support/at-end.ts";
import { ownFolder } from "../support/folders.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { shellLine } from "../support/shell.ts";
import { program } from "../support/sms.ts";

/** Starts the program on a pseudo-terminal; its process id and exit code are in files, which outlive the terminal. */
async function startOnTerminal(args: readonly string[], onRequest = accept()) {
  const server = await startScriptedServer({ onRequest });
  const { folder, env } = ownFolder();
  const service = { ...env, SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_abc" };
  const [pid, code] = [join(folder, "pid"), join(folder, "code")];
  const sms = shellLine([...program, ...args]);
  // As a shell at a terminal does, this one passes a hang-up on.
  const hangUp = `trap : INT; trap 'kill -HUP $(cat pid)' HUP`;
  const line = `${hangUp}; sh -c 'echo $$ > pid; exec "$@"' - ${sms}; echo $? > code`;
  const script = spawn("script", ["--quiet", "--flush", "--command", line, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], TERM: "xterm", ...service },
  });
  atEnd(() => void script.kill("SIGKILL"));
  let shown = "";
  script.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  return {
    server,
    service,
    script,
    sees: (text: string) => until(() => shown.includes(text)),
    type: (text: string) => void script.stdin.write(text),
    kill: (name: NodeJS.Signals) => process.kill(Number(readFileSync(pid, "utf8")), name),
    code: async () => {
      await until(() => existsSync(code) && readFileSync(code, "utf8") !== "");
      return Number(readFileSync(code, "utf8"));
    },
  };
}

const hi = ["--message", "Hi"];

describe.concurrent("on a terminal", needs("script"), () => {
  it.each([
    ["Ctrl-C", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("a question is ended by %s with %i, and says that nothing was sent", async (signal, code) => {
    // As many as are not sent to unasked.
    const typed = Array.from({ length: 11 }, (_, index) => ["--to", `+2547123456${10 + index}`]).flat();
    const terminal = await startOnTerminal(["send", ...typed, ...hi]);
    await terminal.sees("Send 11 live messages");
    if (signal === "Ctrl-C") terminal.type("\u0003");
    else terminal.kill(signal);
    await terminal.sees("Nothing was sent.");

    expect({ code: await terminal.code(), requests: terminal.server.requests.length }).toEqual({ code, requests: 0 });
  });

  it("a run whose terminal is gone ends with 129, and has everything recorded", async () => {
    const list = join(ownFolder().folder, "list");
    writeFileSync(list, Array.from({ length: 200 }, (_, index) => `+2547${12_000_000 + index}\n`).join(""));
    const args = ["send", "--recipients", list, ...hi, "--yes", "--run", "r", "--rate", "3000", "--json"];
    const terminal = await startOnTerminal(args, (socket, request) => {
      setTimeout(() => accept()(socket, request, 0), 300);
    });
    await until(() => terminal.server.requests.length > 10);
    terminal.script.kill("SIGKILL");
    expect(await terminal.code()).toBe(129);
    const { stdout } = await runBuilt(["runs", "list", "--json"], { env: terminal.service });

    expect(JSON.parse(stdout)).toMatchObject([{ accepted: terminal.server.requests.length, uncertain: 0 }]);
  });
});
