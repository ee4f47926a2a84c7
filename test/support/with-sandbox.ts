import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/server.ts";
import { foldersIn, temporaryFolder, writeGroup } from "./folders.ts";
import { type Machine, sms } from "./machine.ts";

interface Given extends Partial<SandboxOptions> {
  /** The key in the environment of each command; neither a key nor a base URL by default. */
  readonly key?: string;
  /** Whether each test has a sandbox of its own; one serves the whole file by default. */
  readonly isOwn?: boolean;
}

/** Starts a sandbox for the tests of a file, gives each test an empty folder for everything else, and runs commands there. */
export function withSandbox({ key, isOwn = false, ...options }: Given = {}) {
  let sandbox: Sandbox;
  let folder: string;
  (isOwn ? beforeEach : beforeAll)(async () => {
    let ids = 0;
    const newId = () => `msg_${++ids}`;
    const usual = { port: 0, rate: 1_000_000, credits: 1000, now: Date.now, newId, random: Math.random };
    sandbox = await startSandbox({ ...usual, ...options });
  });
  (isOwn ? afterEach : afterAll)(() => sandbox.close());
  beforeEach(() => {
    folder = temporaryFolder();
  });
  const path = (...names: readonly string[]) => join(folder, ...names);
  const environment = (): Readonly<Record<string, string>> => ({
    ...foldersIn(folder),
    ...(key !== undefined && { SMS_BASE_URL: sandbox.url, SMS_API_KEY: key }),
  });
  const run = (args: readonly string[], machine: Machine = {}) =>
    sms(args, { ...machine, environment: { ...environment(), ...machine.environment } });
  return {
    sandbox: () => sandbox,
    environment,
    run,
    json: async (args: readonly string[], machine: Machine = {}) => {
      const { code, stdout, stderr } = await run([...args, "--json"], machine);
      return { code, value: JSON.parse(stdout || stderr) };
    },
    login: (text = "sk_test_sandbox", args: readonly string[] = []) =>
      run(["login", "--base-url", sandbox.url, "--with-key", ...args], { stdin: `${text}\n` }),
    path,
    group: (name: string, content: string) => writeGroup(path("config"), name, content),
    storePath: () => path("config", "credentials.json"),
    file: (name: string, content: string | Uint8Array) => {
      writeFileSync(path(name), content);
      return path(name);
    },
  };
}
