import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { onceFile } from "../../../src/record/folder/once.ts";
import { folderKeeper } from "../keeper.ts";
import { ours } from "../../files/this-process.ts";
import { openAt } from "../place.ts";
import { accepted, termsOf } from "../terms.ts";

const key = { text: "deploy-1", isSandbox: false, pauseMs: undefined };

it("a key whose lock was removed keeps what the next command recorded under it", async () => {
  const place = folderKeeper.newPlace();
  const keys = await openAt(place).once();
  const first = await keys.claim(key, termsOf(), 0);
  if (first.kind === "used") throw new Error("the key is used");
  const file = onceFile(ours(place), key);
  rmSync(file.replace(/ndjson$/, "lock"));
  const next = await keys.claim(key, termsOf(), 0);
  if (next.kind === "used") throw new Error("the key is used");
  await next.intend();
  await next.settle(accepted("msg_1"));
  await next.release();
  await expect(first.intend()).rejects.toMatchObject({ errorCode: "LOCKED" });
  await first.withdraw();
  await first.release();
  expect(await keys.find(key, termsOf())).toMatchObject({ outcome: accepted("msg_1") });
});

it("keys whose pause has been over for a day are dropped, and no others", async () => {
  const place = folderKeeper.newPlace();
  const hour = 3_600_000;
  let now = Date.parse("2026-11-22T12:00:00Z");
  const keys = await openAt(place, process.pid, undefined, () => now).once();
  /** Keys of one folder. */
  const texts = sameFolder(6);
  const use = async (text: string, pauseMs: number | undefined, isLeft = false) => {
    const claimed = await keys.claim({ text, isSandbox: false, pauseMs }, termsOf(), 0);
    if (claimed.kind === "used") throw new Error("the key is used");
    await claimed.intend();
    if (!isLeft) await claimed.settle(accepted("msg_1"));
    await claimed.release();
  };
  const [short = "", cutOff = "", long = "", forGood = "", ...later] = texts;
  await use(short, hour);
  await use(cutOff, hour, true);
  await use(long, 2 * hour);
  await use(forGood, undefined);
  const isThere = (text: string) => existsSync(onceFile(ours(place), { text, isSandbox: false }));
  now += 25 * hour - 1;
  await use(later[0] ?? "", hour);
  expect([short, cutOff, long, forGood].map(isThere)).toEqual([true, true, true, true]);
  now += 1;
  await use(later[1] ?? "", hour);
  expect([short, cutOff, long, forGood].map(isThere)).toEqual([false, false, true, true]);
});

/** Texts of keys whose files are in one folder. */
function sameFolder(count: number): readonly string[] {
  const folderOf = (text: string) => dirname(onceFile(ours("/"), { text, isSandbox: false }));
  const texts: string[] = [];
  for (let index = 0; texts.length < count; index++)
    if (folderOf(`key ${index}`) === folderOf("key 0")) texts.push(`key ${index}`);
  return texts;
}
