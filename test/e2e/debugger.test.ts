import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ownFolder } from "../support/folders.ts";
import { type RunningSms, startSms } from "../support/sms.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { receiptFor, response } from "../support/scripts.ts";

async function startSend(): Promise<RunningSms & { answer: () => void }> {
  let answer: () => void = () => {};
  const server = await startScriptedServer({
    onRequest: (socket) => (answer = () => void socket.write(response(200, receiptFor("+254712345678")))),
  });
  const running = startSms(sendHi, { env: { ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url } });
  await until(() => server.requests.length === 1);
  return { ...running, answer: () => answer() };
}

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

describe.concurrent("Node's debugger", needs("/proc", "POSIX shell"), () => {
  it("is not started by SIGUSR1, which ends nothing", async () => {
    const running = await startSend();
    for (let count = 0; count < 3; count += 1) running.child.kill("SIGUSR1");
    // The debugger says so in the thread that starts it, before the answer is read.
    expect(listens(running.child.pid)).toBe(false);
    running.answer();
    await until(() => running.child.exitCode !== null);

    expect({ exitCode: running.child.exitCode, stderr: running.stderr() }).toEqual({ exitCode: 0, stderr: "" });
  });
});
