import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AccountNotes } from "../../../src/record/account.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { openAt } from "../place.ts";
import { accepted } from "../terms.ts";

const at = "2030-01-01T00:00:00.000Z";
const price = { kesPerCredit: 0.8, at };
const whole: AccountNotes = { balance: { credits: 97, at }, price, lastUsed: at };
const payer = "a1b2c3d4";

const note = async (place: string) => (await openAt(place).account()).note(payer, accepted("a"), Date.parse(at));
const noted = async (place: string) => (await openAt(place).account()).noted(payer);

describe("the file of the notes on a payer", () => {
  it.each<[string, string, AccountNotes]>([
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
