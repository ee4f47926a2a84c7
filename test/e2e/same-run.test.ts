import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runBuilt } from "../support/built.ts";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { cleanUp, hold } from "../support/held.ts";
import { needs } from "../support/needs.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { onTerminal } from "../support/terminal.ts";
import { trials } from "../support/trials.ts";

let server: ScriptedServer;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  server = await startScriptedServer({
    // Refuses the check of a key, which has no recipient.
    onRequest: (socket, request, index) =>
      (request.body === "{}" ? answer(400, { error: "no recipient" }) : accept())(socket, request, index),
  });
  folder = temporaryFolder();
  env = {
    ...foldersIn(folder),
    SMS_BASE_URL: server.url,
    SMS_API_KEY: "sk_live_same",
  };
});

afterEach(() => server.close());
afterAll(cleanUp);

const sent = () => server.requests.filter(({ body }) => body !== "{}").map(({ body }) => JSON.parse(body).to as string);
const twice = () => sent().length - new Set(sent()).size;

/** A list of 40 numbers, and a rate at which a run of it takes seconds. */
function args(rate = "600"): readonly string[] {
  const path = join(folder, "list.txt");
  writeFileSync(path, Array.from({ length: 40 }, (_, index) => `+2547123450${10 + index}`).join("\n"));
  return ["send", "-r", path, "-m", "Hi", "--rate", rate, "--max-credits", "100"];
}

/** Begins the run and kills it as soon as that many messages are sent. */
async function begunAndKilled(count = 3, rate = "600"): Promise<string> {
  const { child, ended } = hold([...args(rate), "--yes"], { env });
  while (child.exitCode === null && sent().length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  await ended;
  const runs = join(folder, "state", "runs");
  return existsSync(runs) ? (readdirSync(runs)[0] ?? "") : "";
}

describe("a run without a name, killed and typed again", () => {
  it("is left alone where a person says no at a terminal, and continued after yes", needs("script"), async () => {
    const name = await begunAndKilled();
    const before = sent().length;
    const no = await onTerminal(args(), env, [{ sees: "Continue it?", types: "n\r" }]);
    expect({ code: no.code, isNamed: no.shown.includes(`sms runs resume ${name}`) }).toEqual({
      code: 2,
      isNamed: true,
    });
    expect(no.shown).toContain("Cancelled; nothing was sent.\r\n  ");
    expect(sent()).toHaveLength(before);
    const { code, shown } = await onTerminal(args("60000"), env, [
      { sees: "Continue it?", types: "y\r" },
      { sees: "live messages for ", types: "y\r" },
    ]);
    expect(shown).toContain(`Run ${name} of the same messages is unfinished`);
    expect([0, 11]).toContain(code);
    expect(twice()).toBe(0);
    expect(readdirSync(join(folder, "state", "runs"))).toEqual([name]);
  });
});

describe("a run without a name, killed when everybody has it and nobody has read its summary", () => {
  it("is not sent again by the same command", needs("POSIX shell"), async () => {
    const full = join(folder, "full");
    expect(spawnSync("mkfifo", [full]).status).toBe(0);
    const pipe = openSync(full, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(pipe));
    // What is left of its room takes no summary.
    for (const size of [4096, 1])
      expect(() => {
        for (;;) writeSync(pipe, "x".repeat(size));
      }).toThrow("EAGAIN");
    const through = ["sh", "-c", 'exec "$@" >"$0"', full];
    const { child, ended } = hold([...args("60000"), "--yes"], { env, through });
    const runs = join(folder, "state", "runs");
    const journals = () =>
      existsSync(runs) ? readdirSync(runs).map((name) => readFileSync(join(runs, name, "journal.ndjson"), "utf8")) : [];
    await expect.poll(() => journals().join().split('["accepted"').length - 1, { interval: 5 }).toBe(40);
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ code: null });
    for (const more of [[], ["--again"]]) {
      const { code, stderr } = await runBuilt([...args(), "--yes", "--json", ...more], { env });
      expect({ code, failure: JSON.parse(stderr) }).toMatchObject({
        code: 2,
        failure: {
          errorCode: "RUN_UNFINISHED",
          error: expect.stringContaining("cut off before its summary, 40 of 40"),
        },
      });
    }
    expect(sent()).toHaveLength(40);
  });
});

describe("a run without a name, killed at any moment and given again by a job", () => {
  it.each([15, 40, 0, 35].slice(0, trials("MOMENTS", 2, 4)))(
    "texts nobody twice, and misses nobody once it is resumed: after %d",
    async (count) => {
      await begunAndKilled(count, "15000");
      const again = await runBuilt([...args("60000"), "--yes", "--json"], { env });
      let last = again;
      // Of 40 at that rate, some are left after 15.
      expect(count === 15 && !again.stderr.includes("RUN_UNFINISHED")).toBe(false);
      if (again.code === 2) {
        const [, name = ""] = /run (\S+) of the same messages/.exec(again.stderr) ?? [];
        last = await runBuilt(["runs", "resume", name, "--yes", "--rate", "60000", "--json"], { env });
      }
      const { accepted, uncertain } = JSON.parse(last.stdout.trim().split("\n").at(-1) ?? "");
      expect({ code: last.code, all: accepted + uncertain, twice: twice() }).toEqual({
        code: uncertain > 0 ? 11 : 0,
        all: 40,
        twice: 0,
      });
      expect(new Set(sent()).size).toBeGreaterThanOrEqual(accepted);
      expect((await runBuilt([...args("60000"), "--yes", "--json"], { env })).stderr).toContain('"RUN_REPEATED"');
    },
  );
});

describe("a run that has ended, given again at a terminal", () => {
  it("is sent again only if the person says so to a question that names the run", needs("script"), async () => {
    expect((await runBuilt([...args("60000"), "--yes"], { env })).code).toBe(0);
    const [name] = readdirSync(join(folder, "state", "runs"));
    const asked = { sees: "These messages were sent just now. Send 40 live messages again for ", types: "n\r" };
    const { code, shown } = await onTerminal(args("60000"), env, [asked]);
    expect({ code, isNamed: shown.includes(`run ${name} of the same messages has ended`) }).toEqual({
      code: 2,
      isNamed: true,
    });
    expect(sent()).toHaveLength(40);
    expect((await onTerminal(args("60000"), env, [{ ...asked, types: "y\r" }])).code).toBe(0);
    expect(sent()).toHaveLength(80);
  });
});

describe("a run whose key is rotated", () => {
  it("goes on with the new key of that name, and not with the key of another login", async () => {
    const { SMS_API_KEY: _, ...stored } = env;
    const sms = (words: readonly string[], stdin = "") => runBuilt(words, { env: stored, stdin });
    const login = (key: string) => sms(["login", "--base-url", server.url, "--with-key"], key);
    expect(await login("sk_test_first")).toMatchObject({ code: 0 });
    const list = join(folder, "two.txt");
    writeFileSync(list, "+254712345001\n+254712345002\n");
    const send = ["send", "-r", list, "-m", "Hi", "--run", "bound"];
    expect((await sms(send)).code).toBe(0);
    expect((await sms(["keys", "rotate", "test"], "sk_test_second")).code).toBe(0);
    expect((await sms(["keys", "remove", "test-retired", "--yes"])).code).toBe(0);
    expect((await sms(["keys", "rotate", "test"], "sk_test_third")).code).toBe(0);
    expect(await sms(["runs", "resume", "bound"])).toMatchObject({ code: 0 });
    expect((await sms(send)).code).toBe(0);
    expect(sent()).toHaveLength(2);
    expect((await sms([...send.slice(0, -1), "later", "--again"])).code).toBe(0);
    expect((await login("sk_test_other")).code).toBe(0);
    for (const name of ["bound", "later"]) {
      const { code, stderr } = await sms(["runs", "resume", name]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("another key or account") });
    }
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("run.json"),
    );
    expect(files.map((path) => /sk_test/.test(readFileSync(join(folder, path), "utf8")))).toEqual([false, false]);
  });
});
