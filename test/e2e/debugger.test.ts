import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { atEnd, cleanUp, type Held, hold, ownFolder, until } from "../support/held.ts";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { receiptFor, response } from "../support/scripts.ts";
import { isStandalone } from "../support/sms.ts";

/** Starts a send whose answer waits until it is given. */
async function startSend(env: Readonly<Record<string, string>> = {}): Promise<Held & { answer: () => void }> {
  let answer: () => void = () => {};
  const server = await startScriptedServer({
    onRequest: (socket) => (answer = () => void socket.write(response(200, receiptFor("+254712345678")))),
  });
  atEnd(server.close);
  const held = hold(sendHi, { env: { ...ownFolder().env, ...testKey, SMS_BASE_URL: server.url, ...env } });
  await until(() => server.requests.length === 1);
  return { ...held, answer: () => answer() };
}

/** Whether the process has a TCP socket that listens. */
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

afterAll(cleanUp);

describe.concurrent("Node's debugger", needs("/proc", "POSIX shell"), () => {
  it("is not started by SIGUSR1, which ends nothing", async () => {
    const held = await startSend();
    for (let count = 0; count < 3; count += 1) held.child.kill("SIGUSR1");
    held.answer();
    await until(() => held.child.exitCode !== null);
    expect([held.child.exitCode, held.stderr()]).toEqual([0, ""]);
  }, 30_000);

  // NODE_OPTIONS does not reach a standalone program.
  const once = isStandalone
    ? []
    : [
        ["SIGUSR1 while Node started", 'process.kill(process.pid, "SIGUSR1")'],
        ["the environment", 'require("node:inspector").open(0)'],
      ];
  it.each(once)(
    "is closed again that was opened by %s",
    async (_, code) => {
      const { folder } = ownFolder();
      const file = join(folder, "before.cjs");
      writeFileSync(file, code);
      const held = await startSend({ NODE_OPTIONS: `--inspect-port=0 --require="${file}"` });
      await until(() => held.stderr().includes("Debugger listening"));
      await until(() => !listens(held.child.pid));
      held.answer();
      await until(() => held.child.exitCode !== null);
      expect(held.child.exitCode).toBe(0);
    },
    30_000,
  );
});
