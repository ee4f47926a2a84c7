import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { profile, storeOf } from "../profiles/stored.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";

/** What a run of the program loaded. */
interface Road {
  readonly files: readonly string[];
  /** The npm packages that those files were built from. */
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

const probe = fileURLToPath(new URL("../support/road.cjs", import.meta.url));
let folder: string;
let server: ScriptedServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sms-road-"));
  server = await startScriptedServer({ onRequest: accept() });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function roadOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Road> {
  const path = join(folder, "road.json");
  const { code, stderr } = await runSms(args, {
    // Code is kept, which is part of the road, only in a folder that is private.
    env: { XDG_CACHE_HOME: folder, ...env, ROAD: path, NODE_OPTIONS: `--require=${JSON.stringify(probe)}` },
  });
  expect([code, stderr]).toEqual([0, ""]);
  const { files, builtins } = JSON.parse(readFileSync(path, "utf8")) as Road;
  const packages = new Set(files.filter((file) => file.endsWith(".cjs")).flatMap(packagesOf));
  return {
    files: files.map((file) => basename(file)).sort(),
    packages: [...packages].sort(),
    builtins: [...builtins].sort(),
  };
}

function packagesOf(chunk: string): readonly string[] {
  if (chunk.endsWith("rolldown-runtime.cjs")) return [];
  const { sources } = JSON.parse(readFileSync(`${chunk}.map`, "utf8")) as {
    readonly sources: readonly string[];
  };
  return sources.flatMap(
    (source) => /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(source)?.groups?.["name"] ?? [],
  );
}

/** A plain send over http may load this. A newcomer costs time at every start: let it in only if it is worth that. */
const sendRoad: Road = {
  files: ["chunks.js", "main.cjs", "program.cjs", "rolldown-runtime.cjs", "send.cjs", "sms.js", "undici.cjs"],
  packages: ["@commander-js/extra-typings", "commander", "libphonenumber-js", "undici"],
  builtins: [
    "node:buffer",
    "node:diagnostics_channel",
    "node:events",
    "node:fs",
    "node:net",
    "node:os",
    "node:path",
    "node:process",
    "node:querystring",
    "node:stream",
    "node:util",
    "node:v8",
    "node:vm",
    "node:zlib",
  ],
};

function storeWithKey(): string {
  const path = join(folder, "config");
  mkdirSync(path, { mode: 0o700 });
  const own = { ...profile, baseUrl: server.url, credentials: { kind: "key", name: "dev" } } as const;
  writeFileSync(join(path, "credentials.json"), JSON.stringify(storeOf(own)), { mode: 0o600 });
  return path;
}

it.each([
  ["the environment", () => ({ SMS_BASE_URL: server.url, ...testKey })],
  ["a profile", () => ({ SMS_CONFIG_DIR: storeWithKey() })],
])("a send with its key from %s loads nothing that is not on the list of its road", async (_source, env) => {
  expect(await roadOf(sendHi, env())).toEqual(sendRoad);
});

test("a number that only the parser can judge brings the parser along", async () => {
  const { code, stderr } = await runSms(["send", "--to", "+254112345", "-m", "Hi"], { env: testKey });
  expect([code, stderr]).toEqual([2, expect.stringContaining("no such number is possible")]);
});

test("help and version load no more than the entry", async () => {
  const least = { packages: [], builtins: ["node:fs"], files: ["sms.js"] };
  for (const args of [["--version"], ["-V"], ["--help"], ["runs", "show", "-h"], ["help", "exit-codes"]]) {
    expect(await roadOf(args, {})).toEqual(least);
  }
});
