import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, test } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { foldersIn } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const recipient = "+254722000111";
const message = "Of nobody else";
const certificate = selfSigned({ names: ["127.0.0.1"] });
let servers: Readonly<Record<"http" | "https", ScriptedServer>>;
/** A copy of the program that has kept nothing yet, with an empty folder beside it. */
let folder: string;
const dist = () => join(folder, "dist");
const elsewhere = () => join(folder, "home");

beforeAll(async () => {
  servers = {
    http: await startScriptedServer({ onRequest: accept() }),
    https: await startScriptedServer({ onRequest: accept(), tls: certificate }),
  };
  folder = mkdtempSync(join(tmpdir(), "sms-kept-"));
  for (const part of ["bin", "dist"]) {
    cpSync(part, join(folder, part), { recursive: true, filter: (path) => !/\.map$|\.kept/.test(path) });
  }
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "trusted.pem"), certificate.cert);
});

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

const isRoot = process.getuid?.() === 0;

beforeEach(() => {
  if (isRoot) chownSync(dist(), 0, 0);
  chmodSync(dist(), 0o755);
  mkdirSync(elsewhere());
});

afterEach(() => {
  chmodSync(dist(), 0o755);
  for (const name of keptNames()) rmSync(join(dist(), name));
  rmSync(elsewhere(), { recursive: true });
});

type Protocol = keyof typeof servers;

/** Runs the copied program. */
function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  protocol: Protocol = "http",
): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  const home = elsewhere();
  const environment = {
    PATH: process.env["PATH"],
    ...(protocol === "https" && { NODE_EXTRA_CA_CERTS: join(folder, "trusted.pem") }),
    HOME: home,
    ...foldersIn(home),
    SMS_BASE_URL: servers[protocol].url,
    ...testKey,
    ...env,
  };
  return new Promise((resolve) => {
    const words = [join(folder, "bin/sms.js"), ...args];
    execFile(process.execPath, words, { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Sends, and expects no other word than the result, which is returned. */
async function send(...rest: [env?: Readonly<Record<string, string>>, protocol?: Protocol]) {
  const { code, stdout, stderr } = await run(["send", "--to", recipient, "--message", message], ...rest);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const keptNames = () => readdirSync(dist()).filter((name) => name.includes(".kept"));
const keptFile = () => join(dist(), keptNames()[0] ?? "none");

/** Another inode means that the file was replaced, which happens unless V8 accepts all that was read. */
function identity() {
  const { ino, mtimeMs, size } = statSync(keptFile());
  return { ino, mtimeMs, size };
}

it.each(["http", "https"] as const)("a second send over %s runs what the first one compiled", async (protocol) => {
  const first = await send({}, protocol);
  const before = identity();
  expect(before.size).toBeGreaterThan(100_000);
  expect(await send({}, protocol)).toBe(first);
  expect(identity()).toEqual(before);
});

test("code is kept in dist alone, for this Node, and holds nothing of what was sent, nor its folder", async () => {
  await send({ SMS_API_KEY: "sk_test_of_nobody_else", XDG_CACHE_HOME: elsewhere() });
  expect(keptNames()).toEqual([expect.stringMatching(`^send-${process.version}-${process.arch}-[0-9a-f]{16}\\.kept$`)]);
  expect(readdirSync(elsewhere())).toEqual(["config", "state"]);
  expect(statSync(keptFile()).mode & 0o777).toBe(0o644);
  const text = readFileSync(keptFile(), "latin1");
  for (const secret of ["sk_test_of_nobody_else", recipient.slice(1), message, servers.http.url, folder])
    expect(text).not.toContain(secret);
});

it.each<[string, (whole: Buffer) => Uint8Array]>([
  ["cut short", (whole) => whole.subarray(0, -100)],
  ["cut within its head", (whole) => whole.subarray(0, 20)],
  ["empty", () => Buffer.of()],
  ["code that V8 rejects", (whole) => whole.fill(0, whole.indexOf("\n") + 1)],
  ["without one of the chunks", (whole) => whole.fill("x", whole.indexOf("send.cjs"), whole.indexOf("send.cjs") + 4)],
])("a file that is %s is passed over, and replaced", async (_what, spoil) => {
  const first = await send();
  const before = identity();
  writeFileSync(keptFile(), spoil(readFileSync(keptFile())));
  expect(await send()).toBe(first);
  const replaced = identity();
  expect(replaced.ino).not.toBe(before.ino);
  expect(replaced.size).toBeGreaterThan(0.9 * before.size);
  expect(await send()).toBe(first);
  expect(identity()).toEqual(replaced);
});

test("what a process left that was killed while it kept code is removed a minute later", async () => {
  await send();
  const [old, recent] = [`${keptFile()}.1.1`, `${keptFile()}.2.2`];
  for (const path of [old, recent]) writeFileSync(path, "");
  const minutesAgo = Date.now() / 1000 - 120;
  utimesSync(old, minutesAgo, minutesAgo);
  writeFileSync(keptFile(), "");
  await send();
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
});

test("what another build kept is not used", async () => {
  await send();
  const start = join(dist(), "start.cjs");
  const code = readFileSync(start, "latin1");
  onTestFinished(() => writeFileSync(start, code, "latin1"));
  const [id = ""] = /[0-9a-f]{16}(?=\.kept)/.exec(code) ?? [];
  writeFileSync(start, code.replace(id, "0".repeat(16)));
  writeFileSync(keptFile(), "of the other build");
  await send();
  expect(keptNames().length).toBe(2);
});

test("sends alone and sends of a run, in turn, keep the code of both", async () => {
  const sendTwo = async () => {
    const args = [...sendHi, "--to", "+254712345679", "--yes", "--again", "--rate", "60000"];
    expect(await run(args)).toMatchObject({ code: 0 });
  };
  await send();
  await sendTwo();
  const both = identity();
  await send();
  await sendTwo();
  expect(identity()).toEqual(both);
});

test("eight first sends at once leave one whole file", async () => {
  await Promise.all(Array.from({ length: 8 }, () => send()));
  expect(keptNames().length).toBe(1);
  const before = identity();
  await send();
  expect(identity()).toEqual(before);
});

/** Keeps code for main.cjs of its length that throws: V8 does not compare more than that. */
function keepOther(): void {
  const length = readFileSync(join(dist(), "main.cjs")).length + 64;
  const maker = `const { Script } = require("node:vm");
    const script = new Script('(function () { throw new Error("kept code ran"); })'.padEnd(${length}));
    try { script.runInThisContext()(); } catch {}
    const code = script.createCachedData();
    process.stdout.write(Buffer.concat([Buffer.from(JSON.stringify([["main.cjs", code.length]]) + "\\n"), code]));`;
  writeFileSync(keptFile(), execFileSync(process.execPath, ["--eval", maker]));
}

test("kept code is trusted as dist is", async () => {
  await send();
  keepOther();
  expect((await run(sendHi)).stderr).toContain("kept code ran");
});

it.each([0o775, 0o757])("in a dist of mode %o no kept code runs, and none is written", async (mode) => {
  await send();
  keepOther();
  const before = identity();
  chmodSync(dist(), mode);
  await send();
  expect(identity()).toEqual(before);
  rmSync(keptFile());
  await send();
  expect(keptNames()).toEqual([]);
});

it("in a dist of another user, what its owner kept runs, and nothing is written", needs("root"), async () => {
  await send();
  keepOther();
  chownSync(dist(), 65_534, 65_534);
  expect((await run(sendHi)).stderr).toContain("kept code ran");
  rmSync(keptFile());
  await send();
  expect(keptNames()).toEqual([]);
});

it("in a read-only dist nothing is written, and nothing said of it", needs("a normal user"), async () => {
  chmodSync(dist(), 0o555);
  await send();
  expect(keptNames()).toEqual([]);
});

test("a send with NODE_DISABLE_COMPILE_CACHE keeps nothing, and says nothing of it", async () => {
  await send({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(keptNames()).toEqual([]);
});

it.each([
  ["is refused", ["send", "--to", "nobody", "--message", "Hi"], 2],
  ["is unknown", ["sned"], 2],
  ["is none", [], 2],
  ["starts with an option", ["--json", ...sendHi], 0],
])("a command line that %s keeps nothing", async (_what, args, code) => {
  expect(await run(args)).toMatchObject({ code });
  expect(keptNames()).toEqual([]);
});
