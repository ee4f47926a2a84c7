import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { type Machine, sms } from "../support/machine.ts";

/** Starts a sandbox for the tests of a file, gives each test empty folders for credentials and state, and runs commands there. */
export function withSandbox() {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    let ids = 0;
    const newId = () => `msg_${++ids}`;
    sandbox = await startSandbox({ port: 0, tier: "professional", credits: 1000, now: Date.now, newId });
  });
  afterAll(() => sandbox.close());
  beforeEach(() => {
    folder = temporaryFolder();
  });
  const run = (args: readonly string[], machine: Machine = {}) =>
    sms(args, { ...machine, environment: { ...foldersIn(folder), ...machine.environment } });
  return {
    sandbox: () => sandbox,
    /** The file of the credentials. */
    storePath: () => join(folder, "config", "credentials.json"),
    run,
    /** Runs a command with `--json`, and returns what it printed on either stream. */
    json: async (args: readonly string[], machine: Machine = {}) => {
      const { code, stdout, stderr } = await run([...args, "--json"], machine);
      return { code, value: JSON.parse(stdout || stderr) };
    },
    /** Logs in to the sandbox with a key. */
    login: (key = "sk_test_sandbox", args: readonly string[] = []) =>
      run(["login", "--base-url", sandbox.url, "--with-key", ...args], { stdin: `${key}\n` }),
  };
}
