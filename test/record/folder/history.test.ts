import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openAt, readHistory } from "../place.ts";
import { entryAt } from "../samples.ts";
import { temporaryFolder } from "../../support/folders.ts";

let place: string;
let path: string;

beforeEach(() => {
  place = temporaryFolder();
  path = join(place, "history", "2026-11.ndjson");
});

const append = async (minute: number) => (await openAt(place).history()).append(entryAt(minute));

async function read() {
  const { ids, unread } = await readHistory(await openAt(place).history());
  return { ids: ids.toReversed(), broken: unread.broken };
}

describe("a file of the history", () => {
  it("that was cut at any byte loses that line alone, and the next one is whole", async () => {
    await append(1);
    const first = statSync(path).size;
    await append(2);
    const whole = readFileSync(path);
    for (let end = first; end <= whole.length; end++) {
      writeFileSync(path, whole.subarray(0, end));
      await append(3);
      const { ids, broken } = await read();
      expect([ids[0], ids.at(-1)]).toEqual(["msg_1", "msg_3"]);
      // Without its line end alone, the line is whole.
      expect(ids.length + broken).toBe(end === first || end === first + 1 ? 2 : 3);
    }
  });

  it("is read from its end, and no further back than is asked for", async () => {
    mkdirSync(join(path, ".."), { mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600 });
    // What stands in front takes longer to read than a test may last.
    truncateSync(path, 2 ** 36);
    const linesOf = (count: number, first: number) =>
      Array.from({ length: count }, (_, index) => `\n${JSON.stringify(entryAt(first + index))}\n`).join("");
    appendFileSync(path, linesOf(2_000, 0) + linesOf(300, 10_000));

    const { ids } = await readHistory(await openAt(place).history(), Date.parse(entryAt(9_000).at));

    const range = { first: ids[0], last: ids.at(-1), count: ids.length };
    expect(range).toEqual({ first: "msg_10299", last: "msg_10000", count: 300 });
  });

  it("is not written through a link", async () => {
    const other = join(place, "other.txt");
    writeFileSync(other, "mine", { mode: 0o600 });
    mkdirSync(join(path, ".."), { mode: 0o700 });
    symlinkSync(other, path);
    await expect(append(1)).rejects.toThrow("is a link");
    expect(readFileSync(other, "utf8")).toBe("mine");
  });
});
