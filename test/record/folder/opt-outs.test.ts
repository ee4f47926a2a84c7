import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatList, optOutFiles } from "../../../src/record/folder/opt-out-list.ts";
import type { OptOut } from "../../../src/record/opt-outs.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { ours } from "../../files/this-process.ts";
import { seed } from "../../support/seed.ts";
import { openAt } from "../place.ts";

const at = "2026-01-31T08:00:00.000Z";

const anyOptOut: fc.Arbitrary<OptOut> = fc.record(
  {
    to: fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }).map((number) => `+${number}`),
    at: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    reason: fc.string({ unit: "grapheme", maxLength: 20 }),
  },
  { requiredKeys: ["to", "at"] },
);

const lists = fc.uniqueArray(anyOptOut, { maxLength: 20, selector: ({ to }) => to });

/** Writes a list as the file of a record, whole or not, and returns what is read of it. */
async function readBack(file: Uint8Array, place = temporaryFolder()) {
  const { folder, list } = optOutFiles(ours(place));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(list, file, { mode: 0o600 });
  const optOuts = await openAt(place).optOuts();
  return { list: await optOuts.list(), numbers: await optOuts.numbers() };
}

describe("the file of the opt-outs", () => {
  it("is read as it was written", async () => {
    const place = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const { list: found, numbers } = await readBack(Buffer.from(formatList(list)), place);
        expect(found).toEqual(list);
        expect([numbers.size, list.every(({ to }) => numbers.has(Number(to)))]).toEqual([list.length, true]);
      }),
      { seed, numRuns: 50 },
    );
  });

  it("is refused if it is cut, or a digit of a number is another one", async () => {
    const place = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(
        lists.filter(({ length }) => length > 0),
        fc.nat(),
        fc.nat(8),
        async (list, cut, more) => {
          const whole = Buffer.from(formatList(list));
          await expect(readBack(whole.subarray(0, cut % whole.length), place)).rejects.toThrow("cannot be used");
          const digits = [...whole.toString("latin1").matchAll(/(?<=\n\+\d*)\d/g)].map(({ index }) => index);
          const digit = digits[cut % digits.length] ?? 0;
          whole[digit] = 0x30 + (((whole[digit] ?? 0) - 0x30 + 1 + more) % 10);
          await expect(readBack(whole, place)).rejects.toThrow("cannot be used");
        },
      ),
      { seed, numRuns: 50 },
    );
  });

  it("that a newer sms wrote is said to be so", async () => {
    await expect(readBack(Buffer.from('{"version":2}\n["+254712345678"]\n'))).rejects.toThrow("another sms wrote it");
  });
});

describe("the list of the opt-outs", () => {
  const optOut = (to: string) => ({ to, at });

  it("is said to be unwritable if its folder cannot be made", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const optOuts = await openAt(join(file, "sms")).optOuts();

    const refusal = { kind: "usage", errorCode: "NOT_WRITTEN" };
    await expect(optOuts.add([optOut("+254712345678")])).rejects.toMatchObject(refusal);
    expect((await optOuts.numbers()).size).toBe(0);
  });

  it("that is gone, with its folder too, does not count as none", async () => {
    const place = temporaryFolder();
    const optOuts = await openAt(place).optOuts();
    await optOuts.add([optOut("+254712345678")]);
    const numbers = await optOuts.numbers();
    const { folder, list, marker } = optOutFiles(ours(place));
    rmSync(list);

    expect(numbers.isCurrent()).toBe(false);
    await expect(numbers.renew()).rejects.toThrow("it is gone");
    await expect(optOuts.numbers()).rejects.toThrow("it is gone");
    await expect(optOuts.add([optOut("+254712345679")])).rejects.toThrow("it is gone");
    rmSync(marker);
    await expect(numbers.renew()).rejects.toThrow("it is gone");
    rmSync(folder, { recursive: true });
    await expect(numbers.renew()).rejects.toThrow("it is gone");
    expect((await optOuts.numbers()).size).toBe(0);
  });
});
