import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { fast } from "../commands/with-runs.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { type Machine, sms } from "../support/machine.ts";

export const to = "+254712345678";

/** Gives each test a sandbox with 1000 credits, to which commands send with a live key, and empty folders. */
export function withHistory() {
  let sandbox: Sandbox;
  let folder: string;

  beforeEach(async () => {
    let ids = 0;
    const newId = () => `msg_${++ids}`;
    sandbox = await startSandbox({ port: 0, rate: 1_000_000, credits: 1000, now: Date.now, newId });
    folder = temporaryFolder();
  });

  afterEach(() => sandbox.close());

  const run = (args: readonly string[], machine: Machine = {}) =>
    sms(args, {
      ...machine,
      environment: {
        ...foldersIn(folder),
        SMS_BASE_URL: sandbox.url,
        SMS_API_KEY: "sk_live_sandbox",
        ...machine.environment,
      },
    });
  const json = async (args: readonly string[], machine: Machine = {}) =>
    JSON.parse((await run([...args, "--json"], machine)).stdout);
  const post = (path: string, body: unknown) =>
    fetch(`${sandbox.url}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer sk_live_sandbox", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const send = (args: readonly string[], machine: Machine = {}) =>
    run(["send", ...(args.includes("-m") ? [] : ["-m", "Hi"]), ...args], machine);
  return {
    run,
    json,
    send,
    sendRun: (name: string, args: readonly string[], machine: Machine = {}) =>
      send(["--run", name, "--yes", ...fast, ...args], machine),
    history: (...args: readonly string[]) => json(["history", ...args]),
    sandbox: () => sandbox,
    /** Credits in the account. */
    balance: async (): Promise<number> =>
      ((await (await fetch(`${sandbox.url}/_sandbox/account`)).json()) as { credits: number }).credits,
    /** Changes the account. */
    change: (setup: { readonly credits: number }) => post("/_sandbox/account", setup),
    /** Has somebody else send a message of that many segments. */
    sendElsewhere: (segments = 1) =>
      post("/api/v1/sms/send", { to: "+254733000000", message: segments === 1 ? "Hi" : "a".repeat(153 * segments) }),
    /** A path in the folder of the test. */
    path: (...names: readonly string[]) => join(folder, ...names),
  };
}
