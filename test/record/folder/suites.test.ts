import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { accountSuite } from "../account-suite.ts";
import { costsIn, recordRun } from "../costs-suite.ts";
import { historySuite } from "../history-suite.ts";
import { onceSuite } from "../once-suite.ts";
import { optOutsSuite } from "../opt-outs-suite.ts";
import { folderKeeper, openAt } from "../place.ts";
import { accepted, entryAt, reserve, to } from "../samples.ts";

onceSuite(folderKeeper);
optOutsSuite(folderKeeper);
historySuite(folderKeeper);
accountSuite(folderKeeper);

it("a record has no more files than it needs, and keeps them to their owner", async () => {
  const place = folderKeeper.newPlace();
  const record = openAt(place);
  await (await record.history()).append(entryAt(1));
  const account = await record.account();
  for (let time = 0; time < 2; time++) await account.note("a1b2c3d4", accepted("msg_1"), time);
  for (const payer of ["0000", "a1b2c3d4"])
    for (const credits of [3, -3]) await reserve(await record.spending(), payer, credits);
  await (await record.optOuts()).add([{ to, at: "2026-11-22T08:00:00.000Z" }]);
  await recordRun(record, "topup");
  await costsIn(record);

  const paths = readdirSync(place, { recursive: true, encoding: "utf8" });
  const withMode = (mode: number) =>
    ["", ...paths].filter((path) => (statSync(join(place, path)).mode & 0o777) === mode).toSorted();

  expect(withMode(0o700)).toEqual(["", "history", "optout", "payers", "runs", "runs/topup", "spending"]);
  expect(withMode(0o600)).toEqual([
    "history/2026-11.ndjson",
    "optout/begun",
    "optout/numbers",
    "payers/a1b2c3d4.json",
    ...["journal.ndjson", "plan.ndjson", "run.json"].map((name) => `runs/topup/${name}`),
    "runs/~sums.ndjson",
    ...["0000.json", "a1b2c3d4.json"].map((name) => `spending/${name}`),
  ]);
  expect(paths).toHaveLength(16);
});
