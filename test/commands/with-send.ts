import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Machine, sms } from "../support/machine.ts";
import { temporaryFolder } from "../support/folders.ts";

export const to = "+254712345678";

/** Starts a sandbox for the tests of a file, to which `send` sends with a test key. */
export function withSend() {
  let sandbox: Sandbox;
  let folder: string;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    let ids = 0;
    const newId = () => `msg_${++ids}`;
    sandbox = await startSandbox({ port: 0, tier: "professional", credits: 1000, now: Date.now, newId });
    environment = { SMS_BASE_URL: sandbox.url, SMS_API_KEY: "sk_test_sandbox" };
    folder = temporaryFolder();
  });

  afterAll(() => sandbox.close());

  const run = (args: readonly string[], machine: Machine = {}) =>
    sms(args, { ...machine, environment: { ...environment, ...machine.environment } });
  const send = (args: readonly string[], machine: Machine = {}) => run(["send", ...args], machine);

  return {
    run,
    send,
    sandbox: () => sandbox,
    /** The message that the sandbox accepted last. */
    lastMessage: () => {
      const { to: recipient, senderId, message } = sandbox.messages().at(-1) ?? {};
      return { to: recipient, senderId, message };
    },
    /** The failure of a send that must be a usage error and send nothing. */
    refusal: async (args: readonly string[], machine: Machine = {}) => {
      const before = sandbox.messages().length;
      const { code, stdout, stderr } = await send([...args, "--json"], machine);
      const sent = sandbox.messages().length - before;
      expect({ code, stdout, sent }).toEqual({ code: 2, stdout: "", sent: 0 });
      const { error, errorCode, outcome, exitCode } = JSON.parse(stderr) as Readonly<Record<string, unknown>>;
      expect({ outcome, exitCode }).toEqual({ outcome: "unsent", exitCode: 2 });
      return { errorCode, error };
    },
    file: (name: string, content: string | Uint8Array) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
  };
}
