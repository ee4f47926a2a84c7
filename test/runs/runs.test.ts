import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Credentials } from "../../src/message/credentials.ts";
import { fingerprint } from "../../src/profiles/keys.ts";
import type { StateFolder } from "../../src/files/state-folder.ts";
import { refuseChanges, type RunHeader } from "../../src/record/header.ts";
import { checkPlan, type DraftMessage, readPlan, writePlan } from "../../src/record/plan.ts";
import { beginRun, lockRun, readRun, removeRun } from "../../src/record/folder/runs.ts";
import { checkRunName, newRunName, runFiles, runsFolder } from "../../src/record/folder/run-files.ts";
import { listRuns } from "../../src/runs/run-list.ts";
import { ours } from "../files/this-process.ts";
import { drafts } from "./running.ts";

const processes = { pid: process.pid, exists: () => true };
const another = { pid: 4711, exists: () => true };

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function newState(): StateFolder {
  return ours(join(mkdtempSync(join(tmpdir(), "sms-runs-")), "state"));
}

function credentials(key: string): Credentials {
  return { kind: "key", key: { mode: "test", secret: `sk_test_${key}` } };
}

const binding: RunHeader["binding"] = {
  baseUrl: "https://sms.example",
  path: "/api/v1/sms/send",
  credentials: fingerprint(credentials("a")),
  mode: "test",
};

async function begin(state: StateFolder, name: string, messages = drafts(3), started = "2026-01-01T00:00:00.000Z") {
  const files = runFiles(state, name);
  const lock = await lockRun(files, processes);
  const header = { version: 1, name, started, binding, plan: await writePlan(files.plan, messages) } as const;
  beginRun(files, header);
  lock.release();
  return { files, header };
}

describe("a plan", () => {
  const messages: readonly DraftMessage[] = [
    { line: 2, to: "+254712345678", text: "Hi “Ann”,\nyou owe\u2028KES 5 😀", segments: 1 },
    { line: 3, to: "+254712345679", text: "Hi", sender: { kind: "name", name: "ACME" }, segments: 1 },
    {
      line: 9,
      to: "+254712345670",
      text: "Hi",
      sender: { kind: "id", id: "0123456789abcdef01234567" },
      segments: 7,
    },
  ];

  it("is read back as it was written, in order, and adds up", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "sms-plan-")), "plan.ndjson");
    const summary = await writePlan(path, messages);
    expect(summary).toMatchObject({ messages: 3, segments: 9 });
    expect(await all(readPlan(path))).toEqual(messages.map((message, index) => ({ ...message, index })));
    expect(await all(readPlan(path, (index) => index === 1))).toEqual([{ ...messages[1], index: 1 }]);
    expect([...(await checkPlan(path, summary))]).toEqual([1, 1, 7]);
  });

  it("replaces what an earlier command left there", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "sms-plan-")), "plan.ndjson");
    await writePlan(path, drafts(1_000));
    const summary = await writePlan(path, messages);
    expect([...(await checkPlan(path, summary))]).toEqual([1, 1, 7]);
  });

  it.each([
    ["cut", (text: string) => text.slice(0, -5)],
    ["longer", (text: string) => `${text}${text.split("\n")[0]}\n`],
    ["with another number", (text: string) => text.replace("5678", "5679")],
    ["with another text", (text: string) => text.replace("owe", "own")],
  ])("that is %s is refused", async (_, change) => {
    const path = join(mkdtempSync(join(tmpdir(), "sms-plan-")), "plan.ndjson");
    const summary = await writePlan(path, messages);
    writeFileSync(path, change(readFileSync(path, "utf8")));
    await expect(checkPlan(path, summary)).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
  });

  it("passes on what goes wrong with its input", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "sms-plan-")), "plan.ndjson");
    async function* broken() {
      yield* drafts(2);
      throw new Error("line 3 is broken");
    }
    await expect(writePlan(path, broken())).rejects.toThrow("line 3 is broken");
  });
});

describe("the name of a run", () => {
  it.each(["a", "top-up_2026.01", "A".repeat(64), "...a", "console", "com10", "nul-1"])("may be %s", (name) => {
    expect(checkRunName(name)).toBe(name);
  });

  it.each([
    "",
    ".",
    "..",
    "a/b",
    "a\\b",
    "a b",
    "é",
    "a\n",
    "A".repeat(65),
    "a\0",
    "con",
    "NUL",
    "Aux.txt",
    "com1",
    "LPT9",
    "a.",
    "...",
  ])("may not be %j", (name) => {
    expect(() => runFiles(ours("/state"), name)).toThrow(expect.objectContaining({ errorCode: "INVALID_RUN_NAME" }));
  });

  it.each([
    [0, "20260102-030405-0000"],
    [0.999_999_9, "20260102-030405-zzzz"],
  ])("is made of time and chance %d where none is given: %s", (random, name) => {
    expect(newRunName(Date.UTC(2026, 0, 2, 3, 4, 5, 678), random)).toBe(name);
    expect(checkRunName(name)).toBe(name);
  });
});

describe("a run", () => {
  it("has begun once its header exists, with everybody pending", async () => {
    const state = newState();
    const { files, header } = await begin(state, "a");
    const begun = await readRun(files);
    expect(begun).toMatchObject({ header, journalLength: 10, lastWritten: undefined });
    expect(begun?.ledger.tally()).toMatchObject({ pending: 3, accepted: 0 });
  });

  it("keeps its files to their owner", async () => {
    const { files } = await begin(newState(), "a");
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([files.folder, join(files.folder, "..")].map(modeOf)).toEqual(["700", "700"]);
    expect(readdirSync(files.folder).sort()).toEqual(["journal.ndjson", "plan.ndjson", "run.json"]);
    expect([files.header, files.plan, files.journal].map(modeOf)).toEqual(["600", "600", "600"]);
  });

  it("has not begun while there is a plan without a header", async () => {
    const files = runFiles(newState(), "a");
    const lock = await lockRun(files, processes);
    await writePlan(files.plan, drafts(3));
    expect(await readRun(files)).toBeUndefined();
    lock.release();
  });

  it.each(["{}", "", "null", '{"version":2}', "\0\0"])("is refused with the header %j", async (text) => {
    const { files } = await begin(newState(), "a");
    writeFileSync(files.header, text);
    await expect(readRun(files)).rejects.toMatchObject({ errorCode: "RUN_DAMAGED" });
  });

  it("is worked on by one process", async () => {
    const files = runFiles(newState(), "a");
    const lock = await lockRun(files, another);
    const refused = { errorCode: "RUN_BUSY", message: expect.stringContaining("4711") };
    await expect(lockRun(files, processes)).rejects.toMatchObject(refused);
    lock.release();
  });

  it("never holds a secret", async () => {
    const { files } = await begin(newState(), "a");
    expect(readFileSync(files.header, "utf8")).not.toContain("sk_test_a");
    expect(binding.credentials).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe("a run that goes on", () => {
  const destination = binding;

  it("takes what it began with", async () => {
    const { header } = await begin(newState(), "a");
    expect(() => refuseChanges(header, destination)).not.toThrow();
  });

  it.each([
    ["base URL (https://sms.example, now https://other.example)", { baseUrl: "https://other.example" }],
    ["path (/api/v1/sms/send, now /v1/sms/send)", { path: "/v1/sms/send" }],
    ["key or account", { credentials: "other" }],
    ["mode (test, now live)", { mode: "live" }],
  ] as const)("refuses another %s", async (name, change) => {
    const { header } = await begin(newState(), "a");
    expect(() => refuseChanges(header, { ...destination, ...change })).toThrow(
      expect.objectContaining({ errorCode: "RUN_CHANGED", message: `the run a began with another ${name}` }),
    );
  });

  it("knows an account by its address, also with another password", async () => {
    const account = { kind: "account", email: "ann@example.com", password: "old" } as const;
    const { header } = await begin(newState(), "a");
    const runOf = (fingerprinted: string) => ({ ...header, binding: { ...binding, credentials: fingerprinted } });
    const same = (begun: Credentials) => ({ ...binding, credentials: fingerprint(begun) });
    const changed = { ...account, password: "new" };
    expect(() => refuseChanges(runOf(fingerprint(account)), same(changed))).not.toThrow();
    expect(() => refuseChanges(runOf(fingerprint(account)), same({ ...account, email: "bob@example.com" }))).toThrow(
      "another key or account",
    );
  });
});

describe("the runs of a state folder", () => {
  it("are listed, the latest first, without what never began", async () => {
    const state = newState();
    expect(await listRuns(state, 2)).toEqual({ runs: [], earlier: 0, damaged: [] });
    const first = await begin(state, "first", drafts(2), "2026-01-01T00:00:00.000Z");
    const second = await begin(state, "second", drafts(5), "2026-01-02T00:00:00.000Z");
    writeFileSync(first.files.journal, '["intent",0,1]\n["accepted",0,{"messageId":"m"}]\n');
    mkdirSync(runFiles(state, "debris").folder);
    const { runs } = await listRuns(state, 2);
    expect(runs.map(({ header }) => header)).toEqual([second.header, first.header]);
    const counts = runs.map(({ tally }) => [tally.accepted, tally.uncertain, tally.pending].join());
    expect(counts).toEqual(["0,0,5", "1,1,0"]);
    expect(await listRuns(state, 1)).toMatchObject({ runs: [{ header: { name: "second" } }], earlier: 1 });
  });

  it("are removed whole, and only while nobody works on them", async () => {
    const state = newState();
    const { files } = await begin(state, "a");
    await begin(state, "b");
    const lock = await lockRun(files, another);
    const remove = () => removeRun(files, processes, async () => {});
    await expect(remove()).rejects.toMatchObject({ errorCode: "RUN_BUSY" });
    lock.release();
    await remove();
    await expect(remove()).rejects.toMatchObject({ errorCode: "UNKNOWN_RUN" });
    expect(readdirSync(runsFolder(state))).toEqual(["b"]);
  });
});
