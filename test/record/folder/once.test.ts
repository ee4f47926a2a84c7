import { appendFileSync, existsSync, lstatSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { acquireLock } from "../../../src/files/lock.ts";
import { onceFile } from "../../../src/record/folder/once-files.ts";
import type { OnceKeeper } from "../../../src/record/once.ts";
import { bundle, onFullDisk, start } from "../../files/child.ts";
import { ours, processes } from "../../files/this-process.ts";
import { needs } from "../../support/needs.ts";
import { folderKeeper, openAt } from "../place.ts";
import { accepted, claimKey, onceKey as key, useOf } from "../samples.ts";

it("a key whose lock was removed keeps what the next command recorded under it", async () => {
  const place = folderKeeper.newPlace();
  const keys = await openAt(place).once();
  const first = await claimKey(keys);
  const file = onceFile(ours(place), key);
  rmSync(file.replace(/ndjson$/, "lock"));
  const next = await claimKey(keys);
  await next.intend();
  await next.settle(accepted("msg_1"));
  await next.release();
  await expect(first.intend()).rejects.toMatchObject({ errorCode: "LOCKED" });
  await first.withdraw();
  await first.release();
  expect(await keys.find(key, useOf())).toMatchObject({ outcome: accepted("msg_1") });
});

it("a key whose lock is lost while its intent is written sends nothing", async () => {
  const place = folderKeeper.newPlace();
  const lock = onceFile(ours(place), key).replace(/ndjson$/, "lock");
  let read = () => {};
  const keys = await openAt(place, process.pid, undefined, () => (read(), Date.now())).once();
  const mine = await claimKey(keys);
  // The clock is read between the look at the lock and the write.
  read = () => rmSync(lock);
  await expect(mine.intend()).rejects.toMatchObject({ errorCode: "LOCKED" });
});

it("keys whose pause has been over for a day are dropped, and no others", async () => {
  const place = folderKeeper.newPlace();
  const hour = 3_600_000;
  let now = Date.parse("2026-11-22T12:00:00Z");
  const keys = await openAt(place, process.pid, undefined, () => now).once();
  /** Keys of one folder. */
  const texts = sameFolder(6);
  const use = async (text: string, pauseMs: number | undefined, isLeft = false) => {
    const claimed = await intended(keys, text, pauseMs);
    if (!isLeft) await claimed.settle(accepted("msg_1"));
    await claimed.release();
  };
  const [short = "", cutOff = "", long = "", forGood = "", ...later] = texts;
  await use(short, hour);
  await use(cutOff, hour, true);
  await use(long, 2 * hour);
  await use(forGood, undefined, true);
  const isThere = (text: string) => existsSync(onceFile(ours(place), { text, isInProcess: false }));
  now += 25 * hour - 1;
  await use(later[0] ?? "", hour);
  expect([short, cutOff, long, forGood].map(isThere)).toEqual([true, true, true, true]);
  now += 1;
  await use(later[1] ?? "", hour);
  expect([short, cutOff, long, forGood].map(isThere)).toEqual([false, false, true, true]);
});

it("keys that are used up at once by many processes are all in the list, or have a file", async () => {
  const { place, find } = await newList();
  const script = await bundle("test/record/record-child.ts");
  const texts = sameFolder(10);
  const children = texts.map((text) => start(process.execPath, script, place, "once", text));
  for (const step of ["claimed", "intended"]) {
    expect(await Promise.all(children.map((child) => child.hear()))).toEqual(texts.map(() => step));
    for (const child of children) child.say("go");
  }

  const answers = await Promise.all(children.map((child) => child.hear()));

  expect(await Promise.all(texts.map(find))).toMatchObject(answers.map((answer = "") => accepted(answer)));
});

it("a key keeps its file while another process has the list, or if the list is cut short", async () => {
  const { use, find, list } = await newList();
  const [first = "", second = "", third = ""] = sameFolder(3);
  await use(first);
  const before = readFileSync(list, "utf8");
  const lock = await acquireLock(`${list}.lock`, processes);
  await use(second);
  if (lock.kind === "lock") lock.release();
  appendFileSync(list, "0123");
  await use(third);

  expect(readFileSync(list, "utf8")).toBe(`${before}0123`);
  expect(await Promise.all([first, second, third].map(find))).toEqual([first, second, third].map(accepted));
});

it("a key keeps its file if the disk has room for only a part of its line", needs("POSIX shell"), async () => {
  const { place, use, find, list } = await newList();
  const [first = "", text = ""] = sameFolder(2);
  await use(first);
  appendFileSync(list, `${"0".repeat(32)}\t`.padEnd(1_999 - lstatSync(list).size).concat("\n"));
  const before = readFileSync(list, "utf8");

  const child = start("sh", ...onFullDisk, await bundle("test/record/record-child.ts"), place, "once", text);
  for (const step of ["claimed", "intended"]) {
    expect(await child.hear()).toBe(step);
    child.say("go");
  }

  expect(await child.hear()).toMatch(/^of \d+$/);
  expect(await find(text)).toMatchObject({ kind: "accepted" });
  expect(readFileSync(list, "utf8")).toBe(before);
});

it.each([
  ["behind its line, as the outcome of the line", Infinity, "accepted"],
  ["in the middle of its line, as uncertain", -1, "uncertain"],
  ["in the name of its line, as uncertain", 20, "uncertain"],
])("a key is found after a power cut %s", async (_, length, outcome) => {
  const { keys, find, list } = await newList();
  const [text = ""] = sameFolder(1);
  const file = onceFile(ours(dirname(dirname(dirname(list)))), { text, isInProcess: false });
  const claimed = await intended(keys, text);
  const intent = readFileSync(file);
  await claimed.settle(accepted(text));
  await claimed.release();

  writeFileSync(file, intent, { mode: 0o600 });
  if (length !== Infinity) truncateSync(list, length < 0 ? lstatSync(list).size + length - 5 : length);

  expect(await find(text)).toMatchObject({ kind: outcome });
});

it.each([
  ["loses the end of its line", (line: string) => line.slice(0, -9)],
  ["loses the end of its name", (line: string) => line.slice(0, 9)],
  ["has a broken line", (line: string) => `${line.slice(0, 60)}\n`],
  ["loses every name", () => "{}\n"],
])("a key sends nothing if the list %s", async (_, change) => {
  const { use, find, list } = await newList();
  const [text = ""] = sameFolder(1);
  await use(text);

  writeFileSync(list, change(readFileSync(list, "utf8")));

  await expect(find(text)).rejects.toMatchObject({ errorCode: "ONCE_DAMAGED" });
});

it("a line that is cut short is of no other key", async () => {
  const { use, find, list } = await newList();
  const [text = "", other = ""] = sameFolder(2);
  await use(text);

  appendFileSync(list, "f".repeat(40));

  expect(await Promise.all([text, other].map(find))).toEqual([accepted(text), undefined]);
});

it("a key that was used up for good is so again when a pause under it is over", async () => {
  const { keys, use, find } = await newList();
  const [text = ""] = sameFolder(1);
  await use(text);

  const paused = await intended(keys, text, 0);
  const meanwhile = await find(text);
  await paused.withdraw();
  await paused.release();

  expect([meanwhile, await find(text)]).toMatchObject([{ kind: "uncertain" }, accepted(text)]);
});

/** The list of the folder of `sameFolder`. */
async function newList() {
  const place = folderKeeper.newPlace();
  const keys = await openAt(place).once();
  const list = join(dirname(onceFile(ours(place), { text: "key 0", isInProcess: false })), "keys.tsv");
  const find = async (text: string) =>
    (await keys.find({ text, isInProcess: false, pauseMs: undefined }, useOf()))?.outcome;
  const use = async (text: string) => {
    const claimed = await intended(keys, text);
    await claimed.settle(accepted(text));
    await claimed.release();
  };
  return { place, keys, list, find, use };
}

async function intended(keys: OnceKeeper, text: string, pauseMs?: number) {
  const claim = await claimKey(keys, { text, isInProcess: false, pauseMs });
  await claim.intend();
  return claim;
}

/** Texts of keys whose files are in one folder. */
function sameFolder(count: number): readonly string[] {
  const folderOf = (text: string) => dirname(onceFile(ours("/"), { text, isInProcess: false }));
  const texts: string[] = [];
  for (let index = 0; texts.length < count; index++)
    if (folderOf(`key ${index}`) === folderOf("key 0")) texts.push(`key ${index}`);
  return texts;
}
