import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../../src/files/lock.ts";
import type { AccountStanding } from "../../../src/record/account.ts";
import { processes } from "../../files/this-process.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { openAt } from "../place.ts";
import { accepted, reserve } from "../samples.ts";

const at = "2030-01-01T00:00:00.000Z";
const price = { kesPerCredit: 0.8, at };
const whole: AccountStanding = { balance: { credits: 97, at }, price, lastUsed: at };
const payer = "a1b2c3d4";

const note = async (place: string) => (await openAt(place).account()).note(payer, accepted("a"), Date.parse(at));
const noted = async (place: string) => (await openAt(place).account()).noted(payer);

describe("the file of the notes on a payer", () => {
  it.each<[string, string, AccountStanding]>([
    ["an empty file", "", {}],
    ["a file cut off", JSON.stringify(whole).slice(0, 30), {}],
    ["another value", "7", {}],
    ["fields of another form", JSON.stringify({ balance: { credits: "9", at }, price: 1, lastUsed: "x" }), {}],
    ["one field of another form", JSON.stringify({ ...whole, balance: { credits: 9 } }), {}],
    ["a line before the end of a longer one", `${JSON.stringify(whole)}\n00Z"}\n`, whole],
  ])("is passed over if it is %s, and the next note holds", async (_, text, found) => {
    const place = temporaryFolder();
    await note(place);
    writeFileSync(join(place, "payers", `${payer}.json`), text);
    expect(await noted(place)).toEqual(found);
    await note(place);
    expect(await noted(place)).toMatchObject({ balance: { credits: 97, at }, lastUsed: at });
  });

  it("is silently lost if it cannot be written, and leaves a folder in its place alone", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    await note(file);

    expect(await noted(file)).toEqual({});
    const place = temporaryFolder();
    mkdirSync(join(place, "payers", `${payer}.json`), { recursive: true });
    await note(place);
    expect(readdirSync(join(place, "payers"))).toEqual([`${payer}.json`]);
  });
});

const open = (place: string) => openAt(place).spending();

describe("the files of what an account spends", () => {
  it.each(["", "{", '{"endsAt":1795392000000,"spent":1}'])("refuse to go on from %j", async (text) => {
    const place = temporaryFolder();
    const keeper = await open(place);
    await reserve(keeper, payer, 3);
    writeFileSync(join(place, "spending", `${payer}.json`), text);
    const damaged = expect.objectContaining({ errorCode: "SPENDING_DAMAGED" });

    await expect(reserve(keeper, payer, 3)).rejects.toThrow(damaged);
    await expect(keeper.latest(payer)).rejects.toThrow(damaged);
  });

  it("stay as they are while another process may change them", async () => {
    const place = temporaryFolder();
    await reserve(await open(place), payer, 3);
    const path = join(place, "spending", `${payer}.json`);
    const before = readFileSync(path, "utf8");
    const lock = await acquireLock(`${path}.lock`, { ...processes, pid: process.ppid });
    if (lock.kind !== "lock") throw new Error("another process has the lock");
    const waiting = reserve(await open(place), payer, -3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(readFileSync(path, "utf8")).toBe(before);
    lock.release();
    expect(await waiting).toMatchObject({ reserved: 0 });
  });

  it("refuse to reserve where they cannot be written", async () => {
    const place = temporaryFolder();
    writeFileSync(join(place, "spending"), "");
    await expect(reserve(await open(place), payer, 3)).rejects.toThrow(expect.objectContaining({ kind: "usage" }));
  });
});
