import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../../src/files/lock.ts";
import { processes } from "../../files/this-process.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { openAt } from "../place.ts";
import { reservationOf, reserve, settling } from "../terms.ts";

const account = "a1b2c3d4";
const today = "2026-11-22";
const some = reservationOf({ today, limit: 10, segments: [3] });
const open = async (place: string) => (await openAt(place).account()).spending();

describe("the files of what an account spends", () => {
  it.each(["", "{", '{"date":"2026-11-22","spent":1}'])("refuse to go on from %j", async (text) => {
    const place = temporaryFolder();
    const keeper = await open(place);
    await reserve(keeper, account, { ...some, limit: 3 });
    writeFileSync(join(place, "spending", `${account}.json`), text);
    const damaged = expect.objectContaining({ errorCode: "SPENDING_DAMAGED" });

    await expect(reserve(keeper, account, { ...some, limit: 3 })).rejects.toThrow(damaged);
    await expect(keeper.latest(account)).rejects.toThrow(damaged);
  });

  it("stay as they are while another process may change them", async () => {
    const place = temporaryFolder();
    await reserve(await open(place), account, some);
    const path = join(place, "spending", `${account}.json`);
    const before = readFileSync(path, "utf8");
    const lock = await acquireLock(`${path}.lock`, { ...processes, pid: process.ppid });
    if (lock.kind !== "lock") throw new Error("another process has the lock");
    const waiting = reserve(await open(place), account, settling({ date: today, released: 3, charged: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(readFileSync(path, "utf8")).toBe(before);
    lock.release();
    expect(await waiting).toMatchObject({ reserved: 0 });
  });

  it("refuse to reserve where they cannot be written", async () => {
    const place = temporaryFolder();
    writeFileSync(join(place, "spending"), "");
    await expect(reserve(await open(place), account, some)).rejects.toThrow(expect.objectContaining({ kind: "usage" }));
  });
});
