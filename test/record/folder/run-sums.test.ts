import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { RecordKeeper } from "../../../src/record/record-keeper.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { costsIn, costsSuite, expectRightSpends, recordRun, spendsOf } from "../costs-suite.ts";
import { openAt } from "../place.ts";

/** A time that a file can have, in seconds. */
const time = Date.UTC(2026, 2) / 1000;

let place: string;
let record: RecordKeeper;

beforeEach(() => {
  place = temporaryFolder();
  record = openAt(place);
});

const sumsPath = (folder = place) => join(folder, "runs", "~sums.ndjson");
const journalOf = (name: string) => join(place, "runs", name, "journal.ndjson");
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").filter(Boolean);

describe("a record in a folder", () => {
  costsSuite({ newPlace: temporaryFolder }, (folder) => {
    const damaged = readFileSync(sumsPath(folder), "utf8").replaceAll(/"credits":\d/g, '"credits":7');
    writeFileSync(sumsPath(folder), damaged);
  });
});

describe("the sums of runs", () => {
  it("are read in place of the journals", async () => {
    await recordRun(record, "a");
    const { size } = statSync(journalOf("a"));
    utimesSync(journalOf("a"), time, time);
    const spends = await spendsOf(await record.history());

    // Neither size nor time tell that the journal is another one.
    writeFileSync(journalOf("a"), Buffer.alloc(size, "\n"));
    utimesSync(journalOf("a"), time, time);

    expect(await spendsOf(await record.history())).toEqual(spends);
  });

  it.each([
    { what: "size", change: (journal: string) => `${journal}["intent",5]\n`, changed: time },
    { what: "time", change: (journal: string) => journal.replace('["intent",0]', '["intent",5]'), changed: time + 1 },
  ])("are summed again if the journal has another $what", async ({ change, changed }) => {
    await recordRun(record, "a");
    utimesSync(journalOf("a"), time, time);
    await spendsOf(await record.history());

    writeFileSync(journalOf("a"), change(readFileSync(journalOf("a"), "utf8")));
    utimesSync(journalOf("a"), changed, changed);

    await expectRightSpends(record);
  });

  it("are summed again, wherever a kill or a full disk cut them off", async () => {
    await recordRun(record, "a");
    const plain = await costsIn(record);
    const whole = readFileSync(sumsPath());

    for (let end = 0; end <= whole.length; end++) {
      writeFileSync(sumsPath(), whole.subarray(0, end));
      expect(await costsIn(record)).toEqual(plain);
    }
  });

  it.each([
    { what: "a folder", put: () => mkdirSync(sumsPath()) },
    { what: "a link", put: () => symlinkSync(join(place, "elsewhere"), sumsPath()) },
  ])("are not kept if $what is in their place", async ({ put }) => {
    await recordRun(record, "a");
    put();
    await expectRightSpends(record);
    expect(existsSync(join(place, "elsewhere"))).toBe(false);
  });

  it("count a run once that is removed while the history is read", async () => {
    for (const name of ["a", "b", "c"]) await recordRun(record, name);
    const history = await record.history();
    const plain = await costsIn(record);
    for (const name of ["a", "b", "c"]) await history.keepRun(name);
    utimesSync(journalOf("b"), time, time);

    const onShare = () => rmSync(join(place, "runs"), { recursive: true, force: true });
    const costs = await costsIn(record, onShare);

    expect(costs).toEqual(plain);
    expect(await costsIn(record)).toEqual(plain);
  });

  it("leave with their runs", async () => {
    for (const name of ["a", "b"]) await recordRun(record, name);
    await spendsOf(await record.history());
    const [first, second] = linesOf(sumsPath());

    await (await record.runs()).remove("a", async () => {});

    expect([first, second].map((line) => line?.includes('"name":"a"'))).toEqual([true, false]);
    expect(linesOf(sumsPath())).toEqual([second]);
  });
});
