import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fileOf, openKeptFile } from "../../src/sandbox/kept-file.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { start as startChild } from "../files/child.ts";
import { sms } from "../support/machine.ts";
import { needs } from "../support/needs.ts";
import { program } from "../support/sms.ts";
import { ask, follow, hello, liveKey, post, runSandbox, tell } from "./running.ts";
import { temporaryFolder } from "../support/folders.ts";

let folder: string;
let path: string;
let warnings: string[];
let ids: number;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "messages.ndjson");
  warnings = [];
  ids = 0;
});
function start(): Promise<Sandbox> {
  const kept = openKeptFile(path, process.getuid?.(), (warning) => warnings.push(warning));
  return runSandbox({ kept, newId: () => `message-${++ids}` });
}

async function restart(sandbox: Sandbox): Promise<Sandbox> {
  await sandbox.close();
  return start();
}

function idsOf(sandbox: Sandbox): readonly string[] {
  return sandbox.messages().map(({ messageId }) => messageId);
}

function change(sandbox: Sandbox, method: string, what: string) {
  return fetch(`${sandbox.url}/_sandbox/${what}`, { method });
}

describe("--keep", () => {
  it("keeps messages and refusals over restarts, but charges and counts them once", async () => {
    const first = await start();
    await post(first, { ...hello, message: "Zoë 😀" }, { authorization: liveKey });
    await post(first, { ...hello, to: "07 12" });
    await post(first, hello);
    const messages = first.messages();
    const second = await restart(first);
    expect(second.messages()).toEqual(messages);
    expect(second.tally()).toEqual({ messages: 0, segments: 0, credits: 0 });
    await post(second, hello, { authorization: liveKey });
    const third = await restart(second);
    expect(idsOf(third)).toEqual(["message-1", "message-2", "message-3"]);
    expect(await (await follow(third))()).toMatchObject([
      "snapshot",
      {
        balance: 100,
        entries: [
          { message: { message: "Zoë 😀" } },
          { refusal: { to: "07 12", status: 400 } },
          { message: {} },
          { message: {} },
        ],
      },
    ]);
    expect(await ask(third, "earlier?place=2")).toMatchObject([200, { entries: [{}, {}] }]);
    expect(readFileSync(path, "utf8")).not.toContain("requestId");
    expect([statSync(path).mode & 0o777, warnings]).toEqual([process.platform === "win32" ? 0o666 : 0o600, []]);
  });

  it.each(['{"message":{"messageId":"mess', `{"message":{"to":"\u00eb`])(
    "cuts off a last line that is torn",
    async (torn) => {
      const first = await start();
      await post(first, hello);
      await first.close();
      appendFileSync(path, torn);
      const second = await start();
      expect(idsOf(second)).toEqual(["message-1"]);
      await post(second, hello);
      expect(readFileSync(path, "utf8").split("\n").length).toBe(4);
      expect(idsOf(await restart(second))).toEqual(["message-1", "message-2"]);
    },
  );

  it("starts with a file whose first line is torn", async () => {
    writeFileSync(path, '{"format":"sms', { mode: 0o600 });
    const first = await start();
    await post(first, hello);
    expect(idsOf(await restart(first))).toEqual(["message-1"]);
  });

  it("takes what is deleted out of the file, and what is undone back into it", async () => {
    let sandbox = await start();
    for (const text of ["one", "two", "three"]) await post(sandbox, { ...hello, message: text });
    await change(sandbox, "DELETE", "messages?id=message-2");
    expect(readFileSync(path, "utf8")).not.toContain("two");
    sandbox = await restart(sandbox);
    expect(idsOf(sandbox)).toEqual(["message-1", "message-3"]);
    await change(sandbox, "DELETE", "messages");
    expect(readFileSync(path, "utf8")).not.toContain("one");
    await change(sandbox, "POST", "undo");
    sandbox = await restart(sandbox);
    expect(idsOf(sandbox)).toEqual(["message-1", "message-3"]);
    await change(sandbox, "DELETE", "messages");
    sandbox = await restart(sandbox);
    expect(idsOf(sandbox)).toEqual([]);
    await post(sandbox, hello);
    await tell(sandbox, "reset");
    expect(idsOf(await restart(sandbox))).toEqual([]);
    expect([readdirSync(folder), warnings]).toEqual([["messages.ndjson"], []]);
  });

  it("takes the newest of a long file, and rewrites it", needs("CI to be set"), async () => {
    const first = await start();
    await post(first, hello);
    const [message] = first.messages();
    await first.close();
    if (message === undefined) throw new Error("no message");
    const many = Array.from({ length: 200_001 }, (_, n) => ({ ...message, messageId: `m${n}` }));
    writeFileSync(path, fileOf(many.map((one) => ({ message: one }))));
    const second = await start();
    expect([second.messages().length, second.messages()[0]?.messageId]).toEqual([100_000, "m100001"]);
    await post(second, hello);
    const lines = readFileSync(path, "utf8").split("\n");
    expect([lines.length, lines.at(-2)?.includes('"message-2"')]).toEqual([100_002, true]);
    await post(second, hello);
    expect(readFileSync(path, "utf8").split("\n").length).toBe(100_003);
  });

  it.each(["changed", "removed", "cut"])("warns once and goes on if the file is %s meanwhile", async (how) => {
    const sandbox = await start();
    await post(sandbox, hello);
    if (how === "changed") appendFileSync(path, "x\n");
    else if (how === "removed") rmSync(path);
    else truncateSync(path, 3);
    expect((await post(sandbox, hello)).status).toBe(200);
    expect((await post(sandbox, hello)).status).toBe(200);
    const reason = how === "removed" ? "ENOENT: no such file" : "something else has changed it";
    expect(warnings).toEqual([expect.stringContaining(`Messages are no longer kept in ${path}: ${reason}`)]);
  });

  it(
    "warns once and goes on if the disk is full, and has the rest when there is space",
    needs("POSIX shell"),
    async () => {
      const onFullDisk = `trap "" XFSZ; ulimit -f 4; exec "$0" "$@" 2>&1`;
      const full = startChild("sh", "-c", onFullDisk, ...program, "sandbox", "--port", "0", "--json", "--keep", path);
      const { url } = JSON.parse((await full.hear()) ?? "") as Sandbox;
      const long = { ...hello, message: "a".repeat(300) };
      for (let n = 0; n < 9; n++) expect((await post({ url }, long)).status).toBe(200);
      full.kill("SIGTERM");
      expect(await full.hear()).toBe(`Warning: Messages are no longer kept in ${path}: EFBIG: file too large, write.`);
      expect(await full.hear()).toBe(undefined);
      const sandbox = await start();
      const found = idsOf(sandbox);
      expect(found.length).toBeOneOf([2, 3, 4, 5, 6]);
      await post(sandbox, hello);
      expect([idsOf(await restart(sandbox)), warnings]).toEqual([[...found, "message-1"], []]);
    },
  );

  const foreign: readonly (readonly [string, RegExp, (path: string) => void])[] = [
    [
      "has something else",
      /is not a file of sandbox messages/,
      (file) => writeFileSync(file, "a,b\n", { mode: 0o600 }),
    ],
    [
      "has something else without a line end",
      /is not a file of sandbox messages/,
      (file) => writeFileSync(file, "x", { mode: 0o600 }),
    ],
    [
      "has a line that is no message",
      /line 2 is not a message/,
      (file) =>
        writeFileSync(file, Buffer.concat([fileOf([]), Buffer.from('{"message":{}}\n')]), {
          mode: 0o600,
        }),
    ],
    ["is a folder", /not a plain file/, (file) => mkdirSync(file)],
    ["is a link", /not a plain file/, (file) => symlinkSync(join(folder, "elsewhere"), file)],
    [
      "has another hard link",
      /another hard link/,
      (file) => {
        writeFileSync(join(folder, "other"), "", { mode: 0o600 });
        linkSync(join(folder, "other"), file);
      },
    ],
    [
      "is open to others",
      /open to other users/,
      (file) => {
        writeFileSync(file, "");
        chmodSync(file, 0o644);
      },
    ],
  ];
  it.each(foreign)("refuses a file that %s, and names it", async (_, reason, make) => {
    make(path);
    const { code, stderr } = await sms(["sandbox", "--port", "0", "--keep", path], { isStopped: true });
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
    expect(stderr).toContain(path);
  });

  it("creates the file that the command names, and refuses one in a folder that is not there", async () => {
    expect(await sms(["sandbox", "--port", "0", "--keep", path], { isStopped: true })).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(["messages.ndjson"]);
    const gone = join(folder, "gone", "messages.ndjson");
    const { code, stderr } = await sms(["sandbox", "--port", "0", "--keep", gone], { isStopped: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--keep ${gone} cannot be used: ENOENT`)]);
  });
});
