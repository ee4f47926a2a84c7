import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, test } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";

/** Neither stands in the program itself. */
const recipient = "+254722000111";
const message = "Of nobody else";
const certificate = selfSigned({ names: ["127.0.0.1"] });
let servers: Readonly<Record<"http" | "https", ScriptedServer>>;
/** What XDG_CACHE_HOME names. */
let folder: string;

beforeAll(async () => {
  servers = {
    http: await startScriptedServer({ onRequest: accept() }),
    https: await startScriptedServer({ onRequest: accept(), tls: certificate }),
  };
});

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sms-kept-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A program that sends to that server, and keeps its code in that folder. */
const environment = (protocol: "http" | "https" = "http") => ({
  SMS_BASE_URL: servers[protocol].url,
  ...testKey,
  XDG_CACHE_HOME: folder,
});

/** Sends with its code kept in that folder; expects it to be accepted without another word, and gives what it wrote. */
async function send(protocol: "http" | "https" = "http", env: Readonly<Record<string, string>> = {}) {
  const trusting: Readonly<Record<string, string>> =
    protocol === "https" ? { NODE_EXTRA_CA_CERTS: join(folder, "trusted.pem") } : {};
  writeFileSync(join(folder, "trusted.pem"), certificate.cert);
  const args = ["send", "--to", recipient, "--message", message];
  const { code, stdout, stderr } = await runSms(args, {
    env: { ...environment(protocol), ...trusting, ...env },
  });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const home = () => join(folder, "sms", `${process.version}-${process.arch}`);
const keptFile = () => join(home(), "send.bin");

/** A file that was replaced has another inode: so was none that was read, and of which V8 took all. */
function identity() {
  const { ino, mtimeMs, size } = statSync(keptFile());
  return { ino, mtimeMs, size };
}

it.each(["http", "https"] as const)(
  "a second send over %s runs what the first one compiled",
  async (protocol) => {
    const first = await send(protocol);
    const before = identity();
    expect(before.size).toBeGreaterThan(100_000);
    expect(await send(protocol)).toBe(first);
    expect(identity()).toEqual(before);
  },
);

test("what is kept is private, and holds nothing of what was sent", async () => {
  await send("http", { SMS_API_KEY: "sk_test_of_nobody_else" });
  expect(readdirSync(home())).toEqual(["send.bin"]);
  expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
  expect(statSync(home()).mode & 0o777).toBe(0o700);
  const text = readFileSync(keptFile(), "latin1");
  for (const secret of ["sk_test_of_nobody_else", recipient.slice(1), message, servers.http.url])
    expect(text).not.toContain(secret);
});

/** What stands in a kept file: a line of JSON, and the codes one after another. */
interface Kept {
  readonly head: { build: string; chunks: [string, number][]; crc: number };
  readonly codes: Buffer;
}

function parse(bytes: Buffer): Kept {
  const end = bytes.indexOf("\n");
  return {
    head: JSON.parse(bytes.toString("latin1", 0, end)) as Kept["head"],
    codes: bytes.subarray(end + 1),
  };
}

const format = ({ head, codes }: Kept) => Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), codes]);

it.each<[string, (whole: Buffer) => Uint8Array]>([
  [
    "of another build",
    (whole) => {
      const { head, codes } = parse(whole);
      return format({ head: { ...head, build: "another" }, codes });
    },
  ],
  ["cut short", (whole) => whole.subarray(0, -100)],
  ["cut within its head", (whole) => whole.subarray(0, 20)],
  ["empty", () => Buffer.of()],
  ["noise", () => randomBytes(1000)],
  ["changed in a byte", (whole) => whole.fill(whole.readUInt8(200_000) ^ 1, 200_000, 200_001)],
  [
    "code that V8 does not take",
    (whole) => {
      const { head, codes } = parse(whole);
      return format({ head: { ...head, crc: crc32(codes.fill(0)) }, codes });
    },
  ],
  [
    "without one of the chunks",
    (whole) => {
      const { head, codes } = parse(whole);
      for (const chunk of head.chunks) if (chunk[0] === "send.cjs") chunk[0] = "other.cjs";
      return format({ head, codes });
    },
  ],
])("a file that is %s is passed over, and replaced", async (_what, spoil) => {
  const first = await send();
  const whole = identity();
  writeFileSync(keptFile(), spoil(readFileSync(keptFile())));
  await expectReplaced(first, whole.size);
});

it.each<[string, () => void]>([
  ["a file that others may write", () => chmodSync(keptFile(), 0o666)],
  ["a file that is far too large", () => truncateSync(keptFile(), 2e9)],
  [
    "a pipe that nobody writes to",
    () => {
      rmSync(keptFile());
      execFileSync("mkfifo", ["-m", "600", keptFile()]);
    },
  ],
])("%s is passed over, and replaced", async (_what, spoil) => {
  const first = await send();
  const { size } = identity();
  spoil();
  await expectReplaced(first, size);
});

it.each<[string, () => void]>([
  ["that others may write to", () => chmodSync(home(), 0o777)],
  ["in one that others may write to", () => chmodSync(folder, 0o770)],
  ...(process.getuid?.() === 0
    ? [["in another's, as under sudo", () => chownSync(folder, 65_534, 65_534)] as [string, () => void]]
    : []),
])("nothing is taken from a folder %s, nor put there", async (_where, open) => {
  const first = await send();
  const accessed = new Date(2001, 1, 1);
  utimesSync(keptFile(), accessed, accessed);
  const before = identity();
  open();
  expect(await send()).toBe(first);
  expect(identity()).toEqual(before);
  // Linux notes that a file was read where it was not since it was written (mount(8), relatime).
  expect(statSync(keptFile()).atimeMs).toBe(accessed.getTime());
});

/** Sends, after which another file of about that size is there, and sends again, which takes it as it is. */
async function expectReplaced(result: string, size: number): Promise<void> {
  const before = identity();
  expect(await send()).toBe(result);
  expect(identity().ino).not.toBe(before.ino);
  expect(identity().size).toBeGreaterThan(0.9 * size);
  expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
  const replaced = identity();
  expect(await send()).toBe(result);
  expect(identity()).toEqual(replaced);
}

test("sends alone and sends of a run, in turn, come to keep the code of both", async () => {
  const run = async () => {
    const args = [...sendHi, "--to", "+254712345679", "--yes", "--rate", "60000"];
    expect(await runSms(args, { env: environment() })).toMatchObject({ code: 0 });
  };
  await send();
  await run();
  const both = identity();
  await send();
  await run();
  expect(identity()).toEqual(both);
});

it.each<[string, () => Readonly<Record<string, string>>]>([
  ["is told not to", () => ({ NODE_DISABLE_COMPILE_CACHE: "1" })],
  ["finds no such folder", () => ({ XDG_CACHE_HOME: join(folder, "none") })],
  ["finds a file in its place", () => ({ XDG_CACHE_HOME: join(folder, "trusted.pem") })],
  ["may not write there", () => ({ XDG_CACHE_HOME: "/proc/self" })],
  ["has no home", () => ({ XDG_CACHE_HOME: "", HOME: "" })],
  ["is given a relative path", () => ({ XDG_CACHE_HOME: "cache", HOME: "" })],
])("a send that %s keeps nothing, and says nothing of it", async (_why, env) => {
  await send("http", env());
  expect(readdirSync(folder)).toEqual(["trusted.pem"]);
  expect(existsSync("cache")).toBe(false);
});

it.each([
  ["is refused", ["send", "--to", "nobody", "--message", "Hi"], 2],
  ["is unknown", ["sned"], 2],
  ["is none", [], 2],
  ["starts with an option", ["--json", ...sendHi], 0],
])("a command line that %s keeps nothing", async (_what, args, code) => {
  expect(await runSms(args, { env: environment() })).toMatchObject({ code });
  expect(readdirSync(folder)).toEqual([]);
});
