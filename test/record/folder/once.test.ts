import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { onceFile } from "../../../src/record/folder/once.ts";
import { folderKeeper } from "../keeper.ts";
import { ours } from "../../files/this-process.ts";
import { openAt } from "../place.ts";
import { accepted, termsOf } from "../terms.ts";

const key = { text: "deploy-1", isSandbox: false, pause: undefined };

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
