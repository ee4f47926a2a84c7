import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/folders.ts";
import { openAt } from "../place.ts";

const account = "a1b2c3d4";
const today = "2026-11-22";
const some = { holder: "a", today, limit: 10, messages: [{ index: 0, segments: 3 }] };
const open = async (place: string) => openAt(place).account();
const filesIn = (place: string) => readdirSync(join(place, "spending")).sort();

describe("the files of what an account spends", () => {
  it("are private, one for each account and day, and only those of the last two days are kept", async () => {
    const place = join(temporaryFolder(), "state");
    const keeper = await open(place);
    for (const date of ["2026-11-19", "2026-11-20", "2026-11-22"])
      await keeper.reserve(account, { ...some, today: date });
    await keeper.reserve("0000", some);
    const names = ["0000.2026-11-22.0.ndjson", "a1b2c3d4.2026-11-20.0.ndjson", "a1b2c3d4.2026-11-22.0.ndjson"];
    expect(filesIn(place)).toEqual(names);
    const paths = ["spending", ...names.map((name) => join("spending", name))].map((path) => join(place, path));
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it("pass over a line that a kill cut short, and what follows it holds", async () => {
    const place = temporaryFolder();
    mkdirSync(join(place, "spending"), { mode: 0o700 });
    const path = join(place, "spending", `${account}.${today}.0.ndjson`);
    writeFileSync(path, '["begin",{"spent":', { mode: 0o600 });
    expect(await (await open(place)).reserve(account, some)).toMatchObject({ reserved: 3, granted: 1 });
    appendFileSync(path, '\n["reserve","00","b",10,[[0,');
    expect(await (await open(place)).reserve(account, { ...some, holder: "c" })).toMatchObject({ reserved: 6 });
    expect(await (await open(place)).day(account, today)).toMatchObject({ reserved: 6 });
  });

  it("refuse to go on from a file that has lost its beginning", async () => {
    const place = temporaryFolder();
    const keeper = await open(place);
    await keeper.reserve(account, { ...some, limit: 3 });
    const path = join(place, "spending", `${account}.${today}.0.ndjson`);
    writeFileSync(path, readFileSync(path, "utf8").replace('["begin"', '["begin'));
    const damaged = expect.objectContaining({ errorCode: "SPENDING_DAMAGED" });
    await expect((await open(place)).reserve(account, { ...some, limit: 3 })).rejects.toThrow(damaged);
    await expect((await open(place)).day(account, today)).rejects.toThrow(damaged);
  });

  it("go on in another file when they are long, with all that is reserved", async () => {
    const place = temporaryFolder();
    const [one, other] = [await open(place), await open(place)];
    await one.reserve(account, some);
    const many = Array.from({ length: 60_000 }, (_, index) => ({ index, segments: 1 }));
    for (const keeper of [one, other])
      await keeper.reserve(account, { ...some, holder: "b", limit: 3, messages: many });
    expect(filesIn(place).length).toBe(1);
    expect(await other.reserve(account, { ...some, holder: "c" })).toMatchObject({ reserved: 6, granted: 1 });
    expect(filesIn(place).length).toBe(2);
    await one.settle(account, { holder: "a", date: today }, [{ kind: "charged", index: 0, credits: 2 }]);
    for (const keeper of [one, other, await open(place)])
      expect(await keeper.day(account, today)).toMatchObject({ spent: 2, reserved: 3 });
  });

  it("refuse to reserve where they cannot be written", async () => {
    const place = temporaryFolder();
    writeFileSync(join(place, "spending"), "");
    await expect((await open(place)).reserve(account, some)).rejects.toThrow(
      expect.objectContaining({ kind: "usage" }),
    );
  });
});
