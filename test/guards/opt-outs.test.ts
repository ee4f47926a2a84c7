import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdOf } from "../../src/guards/guard.ts";
import { addOptOuts, changeOptOuts, loadOptOuts } from "../../src/guards/opt-out-store.ts";
import { formatList, type OptOut, readList, readNumbers } from "../../src/guards/opt-out-list.ts";
import { optOutFiles, optOuts } from "../../src/guards/opt-outs.ts";
import { bundle, start, temporaryFolder } from "../files/child.ts";
import { machine, ours } from "../files/this-process.ts";
import { seed } from "../support/seed.ts";

const at = "2026-01-31T08:00:00.000Z";
const script = await bundle("test/guards/opt-out-child.ts");

const optOut: fc.Arbitrary<OptOut> = fc.record(
  {
    to: fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }).map((number) => `+${number}`),
    at: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    reason: fc.string({ unit: "grapheme", maxLength: 20 }),
  },
  { requiredKeys: ["to", "at"] },
);

const lists = fc.uniqueArray(optOut, { maxLength: 20, selector: ({ to }) => to });

function writtenList(list: readonly OptOut[]): string {
  const { folder, list: path } = optOutFiles(ours(temporaryFolder()));
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(path, formatList(list), { mode: 0o600 });
  return path;
}

describe("the file of the opt-outs", () => {
  it("is read as it was written", () => {
    const path = writtenList([]);
    fc.assert(
      fc.property(lists, (list) => {
        writeFileSync(path, formatList(list));
        expect(readList(path)).toEqual(list);
        const { numbers } = readNumbers(path);
        expect([numbers.size, list.every(({ to }) => numbers.has(Number(to)))]).toEqual([list.length, true]);
      }),
      { seed, numRuns: 50 },
    );
  });

  it("keeps a reason with a line separator of Unicode, as texts of web pages have", () => {
    const list = [{ to: "+254712345678", at, reason: "asked\u2028twice\u2029" }];
    expect(readList(writtenList(list))).toEqual(list);
  });

  it("is refused at a line without an end, before that fills memory", () => {
    const path = writtenList([{ to: "+254712345678", at }]);
    truncateSync(path, 16 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => readNumbers(path)).toThrow("it is damaged");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });

  it("is refused if it is cut, or a digit of a number is another one", () => {
    const path = writtenList([]);
    fc.assert(
      fc.property(
        lists.filter(({ length }) => length > 0),
        fc.nat(),
        fc.nat(8),
        (list, place, more) => {
          const whole = formatList(list);
          writeFileSync(path, whole.subarray(0, place % whole.length));
          expect(() => readNumbers(path)).toThrow("cannot be used");
          const digits = [...whole.toString("latin1").matchAll(/(?<=\n\+\d*)\d/g)].map(({ index }) => index);
          const digit = digits[place % digits.length] ?? 0;
          whole[digit] = 0x30 + (((whole[digit] ?? 0) - 0x30 + 1 + more) % 10);
          writeFileSync(path, whole);
          expect(() => readNumbers(path)).toThrow("cannot be used");
        },
      ),
      { seed, numRuns: 50 },
    );
  });

  it("is read over the limits of the chunks in which it is read", () => {
    const list = Array.from({ length: 20_000 }, (_, index) => ({ to: `+${254_700_000_000 + index * 7}`, at }));
    expect(readNumbers(writtenList(list)).numbers.size).toBe(20_000);
  });
});

describe("the guard of the opt-outs", () => {
  const added = (state: ReturnType<typeof ours>, to: string) =>
    changeOptOuts(state, machine, (list) => addOptOuts(list, [{ to, at }]).list);

  it("says that the list cannot be written if its folder cannot be made", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const state = ours(join(file, "sms"));
    await expect(added(state, "+254712345678")).rejects.toMatchObject({ kind: "usage", errorCode: "NOT_WRITTEN" });
    expect(optOuts(state).rule).toBe(undefined);
  });

  it("is another one as soon as the list is another, from none on, and itself until then", async () => {
    const state = ours(temporaryFolder());
    const none = optOuts(state);
    expect([none.renew?.() === none, none.rule]).toEqual([true, undefined]);
    await added(state, "+254712345678");
    const one = none.renew?.() ?? none;
    expect(holdOf([one], 254712345678)).toMatchObject({ effect: "leave-out", errorCode: "OPTED_OUT" });
    expect([holdOf([one], 254712345679), one.renew?.() === one]).toEqual([undefined, true]);
    await added(state, "+254712345679");
    expect(holdOf([one], 254712345679)).toBeUndefined();
    expect(holdOf([one.renew?.() ?? one], 254712345679)).toBeDefined();
  });

  it("does not take a list that is gone, with its folder too, for none", async () => {
    const state = ours(temporaryFolder());
    await added(state, "+254712345678");
    const guard = optOuts(state);
    const { folder, list, marker } = optOutFiles(state);
    rmSync(list);
    expect(() => guard.renew?.()).toThrow("it is gone");
    expect(() => optOuts(state)).toThrow("it is gone");
    await expect(added(state, "+254712345679")).rejects.toThrow("it is gone");
    rmSync(marker);
    expect(() => guard.renew?.()).toThrow("it is gone");
    rmSync(folder, { recursive: true });
    expect(() => guard.renew?.()).toThrow("it is gone");
    expect(optOuts(state).rule).toBeUndefined();
  });
});

describe("opt-outs that several processes add", () => {
  it("are all kept", async () => {
    const folder = temporaryFolder();
    const children = [0, 1, 2].map((of) => start(process.execPath, script, folder, `25471234500${of * 2}`, "2"));
    await Promise.all(children.map((child) => child.ended));
    expect(
      loadOptOuts(ours(folder))
        .map(({ to }) => Number(to) - 254712345000)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("are all kept that were reported, when the process is killed at any moment", async () => {
    const folder = temporaryFolder();
    const { list } = optOutFiles(ours(folder));
    const reported: string[] = [];
    for (let kill = 1; kill <= 4; kill++) {
      const child = start(process.execPath, script, folder, String(254_712_000_000 + kill * 1000), "1000");
      for (let heard = 0; heard < kill; heard++) reported.push((await child.hear()) ?? "");
      child.kill("SIGKILL");
      await child.ended;
      const kept = new Set(existsSync(list) ? readList(list).map(({ to }) => to) : []);
      expect(reported.filter((to) => !kept.has(to))).toEqual([]);
    }
    await changeOptOuts(ours(folder), machine, (before) => before);
    expect(readdirSync(dirname(list)).toSorted()).toEqual(["begun", "numbers"]);
  });
});
