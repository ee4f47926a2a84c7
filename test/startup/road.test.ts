import { getCountryCallingCode, isSupportedCountry } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it, test } from "vitest";
import { dev, profile, storeOf } from "../profiles/stored.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { needs } from "../support/needs.ts";
import { runSms } from "../support/sms.ts";
import { onTerminal } from "../support/terminal.ts";
import { temporaryFolder } from "../support/folders.ts";

interface Loaded {
  readonly files: readonly string[];
  readonly builtins: readonly string[];
}

const probe = fileURLToPath(new URL("../support/road.cjs", import.meta.url));
const folder = temporaryFolder();
let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer({ onRequest: accept() });
});

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Loaded> {
  const path = join(folder, "loaded.json");
  const { code, stderr } = await runSms(args, {
    env: { ...env, ROAD: path, NODE_OPTIONS: `--require ${JSON.stringify(probe)}` },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(readFileSync(path, "utf8")) as Loaded;
}

function packagesOf(chunk: string): readonly string[] {
  const map = `${chunk}.map`;
  if (!existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, "utf8")) as { readonly sources: readonly string[] };
  return sources.flatMap(
    (source) => /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(source)?.groups?.["name"] ?? [],
  );
}

/** What a plain send over http may load of ours: each file and each byte costs time at every start. A third of it is data. */
const budget = { files: 8, bytes: 469_500 };

/** What it must not load, which costs milliseconds each or belongs to other commands. */
const barred = {
  packages: ["ajv", "chalk", "conf", "csv-parse", "csv-stringify", "ora", "pg", "pg-protocol", "string-width"],
  builtins: [
    "node:child_process",
    "node:crypto",
    "node:dns",
    "node:http",
    "node:http2",
    "node:https",
    "node:readline",
    "node:tls",
    "node:zlib",
  ],
};

function storeWithKey(): string {
  const path = join(folder, "config");
  mkdirSync(path, { mode: 0o700 });
  const keys = { dev: { ...dev, baseUrl: server.url } };
  const own = { ...profile, baseUrl: server.url, credentials: { kind: "key", name: "dev" }, keys } as const;
  writeFileSync(join(path, "credentials.json"), JSON.stringify(storeOf(own)), { mode: 0o600 });
  return path;
}

it.each([
  ["the environment", () => ({ SMS_BASE_URL: server.url, ...testKey })],
  ["a profile", () => ({ SMS_CONFIG_DIR: storeWithKey() })],
])("a send with its key from %s stays within its budget", async (_source, env) => {
  const { files, builtins } = await loadedBy(sendHi, env());
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(files.length).toBeLessThanOrEqual(budget.files);
  expect(bytes).toBeLessThanOrEqual(budget.bytes);
  const packages = files.flatMap(packagesOf);

  expect(packages).toContain("undici");
  expect(barred.packages.filter((name) => packages.includes(name))).toEqual([]);
  expect(barred.builtins.filter((name) => builtins.includes(name))).toEqual([]);
  // V8's flags are for Node 20 alone.
  expect(builtins.includes("node:v8")).toBe(process.version.startsWith("v20."));
});

test("a send on a terminal loads no spinner while it is fast", needs("script"), async () => {
  const path = join(folder, "loaded.json");
  const env = { SMS_BASE_URL: server.url, ...testKey, ROAD: path, NODE_OPTIONS: `--require ${JSON.stringify(probe)}` };

  const { shown } = await onTerminal(sendHi, { ...env, NO_COLOR: "1" });

  const { files } = JSON.parse(readFileSync(path, "utf8")) as Loaded;
  expect(shown).toContain("Queued for");
  expect(files.flatMap(packagesOf)).not.toContain("ora");
});

test("nothing of the record of a team is loaded without SMS_RECORD", async () => {
  for (const args of [
    ["runs", "list", "--json"],
    ["history", "--json"],
    ["record", "--json"],
  ]) {
    const { files } = await loadedBy(args, { SMS_BASE_URL: server.url, ...testKey });
    expect(files.flatMap(packagesOf)).not.toContain("pg");
  }
});

test("the version loads no more than the entry", async () => {
  for (const flag of ["--version", "-V"]) {
    const { files, builtins } = await loadedBy([flag], {});
    expect(files.map((file) => basename(file)).sort()).toEqual(["sms.js", "start.cjs"]);
    expect(builtins).toEqual(["node:fs"]);
  }
});

test("the built program has the numbering plan of every country", async () => {
  const numbers = Object.entries(examples).flatMap(([country, national]) =>
    // Two islands have fewer digits than E.164 may have here.
    isSupportedCountry(country) && !["TA", "TK"].includes(country)
      ? `+${getCountryCallingCode(country)}${national}`
      : [],
  );
  const args = ["send", "--recipients", "-", "--message", "Hi", "--dry-run", "--json"];
  const env = { SMS_BASE_URL: "http://127.0.0.1:9", ...testKey };
  const { code, stdout, stderr } = await runSms(args, { stdin: numbers.join("\n"), env });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(numbers.length).toBeGreaterThan(240);
  expect(JSON.parse(stdout)).toMatchObject({ recipients: new Set(numbers).size, leftOut: {} });
});
