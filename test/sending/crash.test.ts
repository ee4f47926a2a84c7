import { requireRun } from "../../src/record/begun-run.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../support/needs.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { trials } from "../support/trials.ts";
import type { Design } from "./driver.ts";
import { begunRun, drafts, type TestRun } from "./running.ts";
import { temporaryFolder } from "../support/folders.ts";

const mostKills = trials("KILLS", 2, 5);
const rows = 50;
const inFlight = 4;
const driver = join(temporaryFolder(), "driver.mjs");

beforeAll(async () => {
  await build({
    input: fileURLToPath(new URL("driver.ts", import.meta.url)),
    platform: "node",
    resolve: { alias: { undici: fileURLToPath(new URL("../../build/undici.js", import.meta.url)) } },
    logLevel: "warn",
    output: { file: driver, format: "esm", codeSplitting: false },
  });
});

/** A service that counts, and takes 20 to 60 ms over an answer. */
async function countingServer() {
  const server = await startScriptedServer({
    onRequest: (...request) => setTimeout(() => accept()(...request), 20 + Math.random() * 40),
  });
  onTestFinished(server.close);
  return {
    url: server.url,
    posts: () => server.requests.length,
    /** How many recipients got more than one message. */
    twice: () => {
      const sent = server.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
      return sent.length - new Set(sent).size;
    },
    reached: () => new Set(server.requests.map(({ body }) => body)).size,
  };
}

async function tallyOf({ runs }: TestRun) {
  return (await requireRun(runs, "test")).ledger.tally();
}

/** Sends a run, kills it at random moments and resumes it, until an invocation ends by itself or `isEnough`. */
async function crash(design: Design, rate: number, isEnough = (_twice: number) => false) {
  const server = await countingServer();
  const files = await begunRun(drafts(rows));
  for (let kills = 0; ; kills++) {
    const child = spawn(process.execPath, [driver, files.folder, server.url, design, String(rate)], {
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    const before = server.posts();
    while (child.exitCode === null && server.posts() === before) await sleep(1);
    await Promise.race([ended, sleep(Math.random() * 120)]);
    child.kill("SIGKILL");
    const [code] = await ended;
    const tally = await tallyOf(files);
    const { accepted, rejected, unsent, uncertain, pending } = tally;
    expect(accepted + rejected + unsent + uncertain + pending).toBe(rows);
    if (code !== null || isEnough(server.twice()))
      return { kills, tally, code, twice: server.twice(), reached: server.reached() };
  }
}

describe("a run that is killed", () => {
  it.each([
    // No other turn comes while the test runs.
    [1, 0, 1],
    [15_000, 3, 8],
  ])("at %d a minute, with %d accepted and %d in flight, leaves as many uncertain", async (rate, accepts, reached) => {
    const held: unknown[] = [];
    const server = await startScriptedServer({
      onRequest: (...request) => (request[2] < accepts ? accept()(...request) : held.push(request)),
    });
    onTestFinished(server.close);
    const files = await begunRun(drafts(rows));
    const args = [driver, files.folder, server.url, "intent-first", String(rate), "8"];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    const ended = once(child, "exit");
    while (held.length < reached) await sleep(5);
    // Time enough to record more intents, if any were recorded ahead.
    await sleep(200);
    child.kill("SIGKILL");
    await ended;
    const { accepted, uncertain, pending } = await tallyOf(files);
    expect({ accepted, uncertain, pending }).toEqual({
      accepted: accepts,
      uncertain: reached,
      pending: rows - accepts - reached,
    });
  });
});

describe("a run that is killed at random and resumed until it is done", () => {
  it.each([2_000, 15_000])(
    `texts nobody twice and misses nobody at %d a minute, over ${mostKills} kills`,
    { timeout: 60_000 * mostKills },
    async (rate) => {
      for (let kills = 0; kills < mostKills;) {
        const ended = await crash("intent-first", rate);
        kills += ended.kills;
        expect(ended).toMatchObject({ code: 0, twice: 0, tally: { rejected: 0, unsent: 0, pending: 0 } });
        expect(ended.tally.uncertain).toBeLessThanOrEqual(inFlight * ended.kills);
        expect(ended.reached).toBeGreaterThanOrEqual(ended.tally.accepted);
      }
    },
  );

  // Designs that text people twice, so that the test above is known to notice it.
  it.each(["journal-after", "resend-uncertain"] as const)(
    "would be caught texting twice by the design %s",
    async (design) => {
      const { twice, kills } = await crash(design, 15_000, (count) => count > 0);
      expect(kills).toBeGreaterThan(0);
      expect(twice).toBeGreaterThan(0);
    },
  );
});

describe("the system calls of a run", needs("strace"), () => {
  it("flush the intent before the request is written", async () => {
    const server = await countingServer();
    const files = await begunRun(drafts(20));
    const trace = join(files.folder, "..", "trace");
    const child = spawn(
      "strace",
      [
        "-f",
        "-s",
        "2000",
        "-o",
        trace,
        "-e",
        "trace=write,writev,fdatasync",
        process.execPath,
        driver,
        files.folder,
        server.url,
      ],
      { stdio: "ignore" },
    );
    await once(child, "exit");
    const written = new Set<string>();
    const lasting = new Set<string>();
    const early: string[] = [];
    let posts = 0;
    for (const line of readFileSync(trace, "utf8").split("\n")) {
      for (const [, indexes = ""] of line.matchAll(/\[\\"intent\\",([\d,]+)\]/g)) {
        for (const index of indexes.split(",")) written.add(index);
      }
      if (/fdatasync.*= 0$/.test(line)) for (const index of written) lasting.add(index);
      const to = line.includes("POST /api") ? /\+2547(\d{8})/.exec(line)?.[1] : undefined;
      if (to === undefined) continue;
      posts++;
      if (!lasting.has(String(Number(to)))) early.push(line);
    }
    expect({ posts, early }).toEqual({ posts: 20, early: [] });
  });

  it("that fail to flush end the run, and nobody is texted twice when it is resumed", async () => {
    const server = await countingServer();
    const files = await begunRun(drafts(rows));
    const injected = spawn(
      "strace",
      [
        "-f",
        "-o",
        "/dev/null",
        "-e",
        "inject=fdatasync:error=EIO:when=5",
        process.execPath,
        driver,
        files.folder,
        server.url,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    injected.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(injected, "close");
    expect(said).toContain(`cannot write ${files.journal}: EIO`);
    const { accepted, uncertain } = await tallyOf(files);
    expect(accepted).toBeGreaterThan(0);
    expect(server.reached()).toBeLessThanOrEqual(accepted + uncertain);
    await once(spawn(process.execPath, [driver, files.folder, server.url], { stdio: "ignore" }), "exit");
    expect(await tallyOf(files)).toMatchObject({ accepted: rows - uncertain, uncertain, pending: 0 });
    expect(server.twice()).toBe(0);
  });
});
