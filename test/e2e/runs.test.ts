import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { inContainer } from "../support/container.ts";
import { type CountingServer, startCountingServer } from "../support/counting-server.ts";
import { ownFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { lastJson, program, startSms } from "../support/sms.ts";
import { trials } from "../support/trials.ts";

let server: CountingServer;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  server = await startCountingServer(5);
  const own = ownFolder();
  folder = own.folder;
  env = { PATH: process.env["PATH"] ?? "", ...own.env, SMS_BASE_URL: server.url, SMS_API_KEY: "sk_test_runs" };
});

function list(count: number): string {
  const path = join(folder, `list-${count}.txt`);
  const numbers = Array.from({ length: count }, (_, index) => `+25471${2_000_000 + index}`);
  writeFileSync(path, `${numbers.join("\n")}\n`);
  return path;
}

function send(count: number, name: string, rate = "60000") {
  return ["send", "-r", list(count), "-m", "Hi", "--run", name, "--rate", rate, "--json"];
}

/** The program with files limited to 2 KiB: a disk that is full for large files only. */
const startOnFullDisk = (args: readonly string[]) =>
  startSms(args, { env, through: ["sh", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "-"] }).ended;

/** The program with a system call that fails, and with one thread, since strace counts the calls of each. */
const startWithFault = (fault: string, args: readonly string[]) =>
  startSms(args, {
    env: { ...env, UV_THREADPOOL_SIZE: "1" },
    through: ["strace", "-f", "-o", "/dev/null", "-e", `inject=${fault}`],
  }).ended;

async function untilSent(count: number): Promise<void> {
  await expect.poll(() => server.counts.size, { interval: 20 }).toBeGreaterThanOrEqual(count);
}

const most = () => Math.max(...server.counts.values());

const everyPlace: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ["on one machine", []],
  ["in containers with one host name", [inContainer("app"), inContainer("app")]],
  ["in containers with names of their own", [inContainer("first"), inContainer("second")]],
];
const places = everyPlace.slice(0, trials("PLACES", 2, 3));

describe("a run in a process of its own", () => {
  it("leaves nobody uncertain whose request had not begun when the disk failed", needs("strace"), async () => {
    const args = send(3, "eio", "6000");
    const failed = await startWithFault("fdatasync:error=EIO:when=2", args);

    expect(lastJson(failed.stdout)).toMatchObject({ accepted: 1, uncertain: 0, pending: 2 });
    expect(failed.stderr).toContain("RUN_NOT_RECORDED");
    expect(server.counts.size).toBe(1);
    expect(lastJson((await runBuilt(args, { env })).stdout)).toMatchObject({ accepted: 3, uncertain: 0 });
    expect(most()).toBe(1);
  });

  it.for(places)("started by many at once %s is sent by one, each message once", async ([, through], { skip }) => {
    skip(through.length > 0 && needs("PID namespaces").skip, "needs PID namespaces");
    const count = trials("PROCESSES", 3, 20);
    const starts = Array.from({ length: count }, (_, index) =>
      startSms(send(40, "crowd"), { env, through: through[index % 2] ?? [] }),
    );

    const ends = await Promise.all(starts.map(({ ended }) => ended));

    expect({ most: most(), counts: server.counts.size }).toEqual({ most: 1, counts: 40 });
    const outcomes = ends.map(({ code, stderr }) => (code === 2 ? JSON.parse(stderr).outcome : code));
    expect(outcomes).toContain(0);
    expect(outcomes.filter((outcome) => outcome !== 0 && outcome !== "unsent")).toEqual([]);
  });

  it.for(places)("keeps its lock %s while stopped, and frees it when killed", async ([, through], { skip }) => {
    skip(through.length > 0 && needs("PID namespaces").skip, "needs PID namespaces");
    const [first = [], second = []] = through;
    const owner = startSms(send(40, "locked", "600"), { env, through: first });
    await untilSent(3);
    owner.child.kill("SIGSTOP");

    const other = await startSms(send(40, "locked"), { env, through: second }).ended;
    const shown = await runBuilt(["runs", "show", "locked"], { env });
    owner.child.kill("SIGKILL");
    await owner.ended;
    const last = await startSms(send(40, "locked"), { env, through: second }).ended;

    expect({ code: other.code, ...JSON.parse(other.stderr) }).toMatchObject({ code: 2, errorCode: "RUN_BUSY" });
    expect(shown.stdout).toMatch(/Now: process \d+ on \S+ is sending it; wait until it ends, or stop it there\.\n$/);
    expect([0, 11]).toContain(last.code);
    expect(lastJson(last.stdout)).toMatchObject({ pending: 0, unsent: 0 });
    expect(most()).toBe(1);
    expect(server.counts.size).toBeGreaterThanOrEqual(40 - lastJson(last.stdout).uncertain);
  });

  it("stops when its reader goes away, and can be resumed", async () => {
    const command = shellLine([...program, ...send(200, "piped", "3000")]);
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} | head -1`], { env });
    expect(JSON.parse(stdout)).toMatchObject({ type: "recipient", outcome: "accepted" });
    expect(server.counts.size).toBeLessThan(200);
    const resumed = await runBuilt(["runs", "resume", "piped", "--rate", "60000", "--json"], { env });

    expect({ code: resumed.code, most: most(), counts: server.counts.size }).toEqual({ code: 0, most: 1, counts: 200 });
  });
});

describe("a run on a full disk", () => {
  it("stops with its summary if an outcome cannot be recorded, and continues once there is space", async () => {
    const args = send(25, "full");
    const full = await startOnFullDisk(args);
    expect(full).toMatchObject({ code: 11 });
    expect(JSON.parse(full.stderr)).toMatchObject({ errorCode: "RUN_NOT_RECORDED", exitCode: 11 });
    // All that the service accepted, recorded or not.
    expect(lastJson(full.stdout)).toMatchObject({ recipients: 25, accepted: server.counts.size, uncertain: 0 });
    const { code, stdout } = await runBuilt(args, { env });
    expect(code).toBe(11);
    const { uncertain, ...summary } = lastJson(stdout);

    expect(uncertain).toBeGreaterThan(0);
    expect(summary).toMatchObject({ accepted: 25 - uncertain, pending: 0, unsent: 0 });
    expect([...server.counts.values()].filter((count) => count > 1)).toEqual([]);
  });

  it("does not begin if its plan cannot be written, and leaves no files", async () => {
    const full = await startOnFullDisk(send(200, "full"));
    expect(full).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(full.stderr)).toMatchObject({ errorCode: "NOT_RECORDABLE", outcome: "unsent" });
    expect(readdirSync(join(folder, "state", "runs"))).toEqual([]);
    expect(server.counts.size).toBe(0);
  });
});
