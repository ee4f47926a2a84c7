import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { onceFiles } from "../support/once-files.ts";
import { onceFile } from "../../src/record/folder/once-files.ts";
import { ours } from "../files/this-process.ts";
import { runBuilt } from "../support/built.ts";
import { needs } from "../support/needs.ts";
import { testKey } from "../support/scripted-run.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";
import { temporaryFolder } from "../support/folders.ts";

const kills = trials("KILLS", 3, 9);
const latency = 30;

let folder: string;
let server: ScriptedServer;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startScriptedServer({ onRequest: (...request) => setTimeout(() => accept()(...request), latency) });
});

const environment = () => ({ SMS_BASE_URL: server.url, ...testKey, SMS_STATE_DIR: join(folder, "state") });
const inFolder = () => ({ HOME: folder, SMS_CONFIG_DIR: join(folder, "config"), ...environment() });
const line = (key: string) => ["send", "--to", "+254712345678", "--message", "Hi", "--once", key, "--json"];
const sendOnce = (key: string) => runBuilt(line(key), { env: environment() });

/** The files of all keys, of which only records are left when nobody is at work. */
const recorded = () => onceFiles(join(folder, "state"));

describe("a send with a key that is killed", () => {
  /** When it is killed: so long after one of these has happened. */
  const moments: readonly (readonly [string, (requests: number) => boolean])[] = [
    ["it locked its key", () => recorded().some((name) => name.endsWith(".lock"))],
    ["it recorded its intent", () => recorded().some((name) => name.endsWith(".ndjson"))],
    ["its request was read", (requests) => server.requests.length > requests],
  ];

  it(
    `is sent at most once, and says the same each time after, over ${kills} kills`,
    { timeout: 180_000 + 3_000 * kills },
    async () => {
      for (let kill = 0; kill < kills; kill++) {
        const key = `key ${kill}`;
        const requests = server.requests.length;
        const [, hasCome] = moments[kill % moments.length] ?? ["", () => true];
        const { child, ended } = startSms(line(key), { env: inFolder() });
        while (child.exitCode === null && !hasCome(requests)) await sleep(1);
        await sleep((latency * 1.5 * Math.floor(kill / moments.length)) / Math.ceil(kills / moments.length));
        child.kill("SIGKILL");
        await ended;
        const next = await sendOnce(key);
        const last = await sendOnce(key);
        const sent = server.requests.length - requests;
        expect(sent).toBeLessThanOrEqual(1);
        const { outcome, replayed } = JSON.parse(next.stdout || next.stderr) as Readonly<Record<string, unknown>>;
        // Accepted means that it was sent.
        const truth = next.code === 0 ? [0, "accepted", 1] : [10, "uncertain", sent];
        expect([next.code, outcome, sent]).toEqual(truth);
        expect(replayed === true || next.code === 0).toBe(true);
        expect(last.code).toBe(next.code);
        rmSync(join(folder, "state", "once"), { recursive: true });
      }
    },
  );
});

it.each<[string, readonly string[]]>([
  ["that is plain", ["send"]],
  ["under a key of --once", ["send", "--once", "a"]],
  ["after a command", ["notify", "--", "true"]],
])(
  "a send %s is in the history once, as uncertain, when it is killed after its request began",
  async (_, [command = "", ...more]) => {
    const words = [command, "--to", "+254712345678", ...more];
    const stdin = "Hi";
    const { child, ended } = startSms(words, { env: inFolder(), stdin });
    await server.firstRequest;
    child.kill("SIGKILL");
    await ended;
    // Again, which a key of --once does not do.
    await runBuilt(words, { env: environment(), stdin });
    const { stdout } = await runBuilt(["history", "--json"], { env: environment() });
    const outcomes: readonly string[] = JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome);

    expect(outcomes.toSorted()).toEqual(more.includes("--once") ? ["uncertain"] : ["accepted", "uncertain"]);
  },
);

it.each([
  ["--once", "a"],
  ["--to", "+254712345679"],
])("has its intent on the disk before its request is written, with %s", needs("strace"), async (...more) => {
  const trace = join(folder, "trace");
  const watched = ["strace", "-f", "-y", "-s", "2000", "-o", trace, "-e", "trace=write,writev,sendto,fsync,fdatasync"];
  const words = ["send", "--to", "+254712345678", "--message", "Hi", ...more, "--json"];
  await startSms(words, { env: inFolder(), through: watched }).ended;
  const [calls = ""] = readFileSync(trace, "utf8").split("POST /api");
  const flushed = [...calls.matchAll(/f(?:data)?sync\(\d+<([^>]*)>/g)].map(([, path = ""]) => path);
  const isRun = more.includes("--to");
  const written = calls.search(isRun ? /\[\\"intent\\",0/ : /write.*\{\\"version\\":1,/);
  expect(written).toBeGreaterThan(0);
  expect(calls.slice(written)).toMatch(
    isRun ? /fdatasync.*= 0/ : /fsync.*\.tmp>.*= 0[^]*fsync.*\/once\/[0-9a-f]{2}>.*= 0/,
  );
  // What is flushed in a folder that was just made would be lost with it: each has its entry on the disk as well.
  for (const made of [basename(folder), "state", isRun ? "runs" : "once"]) {
    expect(flushed.some((path) => path.endsWith(`/${made}`))).toBe(true);
  }
});

it.each([
  ["is free again if its folder could not be flushed", [], "NOT_WRITTEN", { code: 0, requests: 1 }],
  [
    "counts as uncertain, and is said to, if it cannot be freed",
    ["unlink,unlinkat"],
    "but the --once key is not free, so it counts as uncertain",
    { code: 10, requests: 0 },
  ],
])("a key whose message was provably not sent %s", needs("strace"), async (_, failing, says, again) => {
  const record = onceFile(ours(join(folder, "state")), { text: "a", isInProcess: false });
  // The folder is there, so that its first flush is that of the record.
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  const faults = ["fsync", ...failing].flatMap((call) => ["-e", `inject=${call}:error=EIO`]);
  const paths = [dirname(record), record].slice(0, 1 + failing.length).flatMap((path) => ["-P", path]);
  const through = ["strace", "-f", "-o", "/dev/null", ...paths, ...faults];

  const { code, stderr } = await startSms(line("a"), { env: inFolder(), through }).ended;
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  expect(server.requests).toEqual([]);
  expect(recorded()).toHaveLength(failing.length);
  const next = await sendOnce("a");

  expect({ code: next.code, requests: server.requests.length }).toEqual(again);
});
