import { chmodSync, chownSync, lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { shellLine } from "../support/shell.ts";
import { formatStore, readStore } from "../../src/profiles/read.ts";
import { changeStore } from "../../src/profiles/store.ts";
import { machine } from "../files/this-process.ts";
import { prod, profile, storedKey, storeOf } from "./stored.ts";
import { temporaryFolder } from "../support/folders.ts";

const { uid } = machine;

const canary = "sk_live_canary";
const store = storeOf({ ...profile, keys: { ...profile.keys, canary: storedKey(canary) } });
const text = formatStore(store);

function folderWith(content: string | Uint8Array): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "credentials.json"), content, { mode: 0o600 });
  return folder;
}

/** A read and a change throw this error, which does not quote the file, and leave the file as it was. */
async function expectRefusal(folder: string, errorCode: string, message: string, hint: string): Promise<void> {
  const path = join(folder, "credentials.json");
  const before = readFileSync(path);
  for (const work of [() => readStore(folder, uid), () => changeStore(folder, machine, () => store)]) {
    const error: unknown = await Promise.resolve()
      .then(work)
      .catch((reason: unknown) => reason);

    expect(error).toMatchObject({ kind: "usage", errorCode, message, hint });
    expect(inspect(error, { depth: null })).not.toContain("canary");
    expect(readFileSync(path)).toEqual(before);
  }
}

describe("readStore", () => {
  it("returns the stored profiles", () => {
    expect(readStore(folderWith(text), uid)).toEqual(store);
  });

  it.each([
    ["no folder", () => join(temporaryFolder(), "none")],
    ["an empty folder", temporaryFolder],
  ])("finds nothing in %s", (_, folder) => {
    expect(readStore(folder(), uid)).toBeUndefined();
  });

  it("reads through a link to the folder", () => {
    const link = join(temporaryFolder(), "link");
    symlinkSync(folderWith(text), link);
    expect(readStore(link, uid)).toEqual(store);
  });

  it("reads through a link of root, as systemd makes it for a user of its own", needs("root"), () => {
    const folder = folderWith(text);
    for (const path of [folder, join(folder, "credentials.json")]) chownSync(path, 65_534, 65_534);
    const link = join(temporaryFolder(), "link");
    symlinkSync(folder, link);
    expect(readStore(link, 65_534)).toEqual(store);
    lchownSync(link, 65_533, 65_533);
    expect(() => readStore(link, 65_534)).toThrow("belongs to another user");
  });

  it("ignores modes on systems without user ids", () => {
    const folder = folderWith(text);
    chmodSync(join(folder, "credentials.json"), 0o644);
    expect(readStore(folder, undefined)).toEqual(store);
  });
});

describe("a damaged store is refused, neither quoted nor overwritten:", () => {
  it.each<[string, string | Uint8Array]>([
    ["an empty one", ""],
    ["one cut off inside a key", text.slice(0, text.indexOf(canary) + canary.length)],
    ["one that is not UTF-8", Buffer.from(text.replace("ACME", "\u00C4CME"), "latin1")],
    ["an array", JSON.stringify([store])],
    ["one without a version", JSON.stringify({ ...store, version: undefined })],
    ["one of an old version", JSON.stringify({ ...store, version: 0 })],
    ["one without profiles", JSON.stringify({ ...store, profiles: undefined })],
    ["one with a profile named __proto__", text.replace('"default": {', '"__proto__": {')],
  ])("%s", async (_, content) => {
    await expectDamaged(folderWith(content));
  });

  const { keys } = profile;

  it.each<[string, object]>([
    ["without keys", { ...profile, keys: undefined }],
    ["with a malformed key", { ...profile, keys: { ...keys, a: { ...prod, secret: "canary" } } }],
    ["with a line end in a key", { ...profile, keys: { ...keys, a: { ...prod, secret: `${canary}\n` } } }],
    ["with a key without a date", { ...profile, keys: { ...keys, a: { secret: canary, retired: false } } }],
    ["with an invalid date", { ...profile, keys: { ...keys, a: { ...storedKey(canary), added: "x" } } }],
    ["with an API key as a name", { ...profile, keys: { ...keys, [canary]: storedKey(canary) } }],
    ["that uses a key it does not have", { ...profile, credentials: { kind: "key", name: "toString" } }],
    ["with half an account", { ...profile, credentials: { kind: "account", email: "canary" } }],
    ["with unknown credentials", { ...profile, credentials: { kind: "token" } }],
    ["with a rate of 0", { ...profile, defaults: { rate: 0 } }],
    ["with an unknown tier", { ...profile, defaults: { rate: "canary" } }],
  ])("a profile %s", async (_, only) => {
    await expectDamaged(folderWith(JSON.stringify({ ...store, profiles: { default: only } })));
  });

  function expectDamaged(folder: string): Promise<void> {
    const path = join(folder, "credentials.json");
    const away = `mv ${shellLine([path, `${path}.damaged`])}`;
    const hint = `repair it, or move it away with \`${away}\` and log in again with \`sms login\``;
    return expectRefusal(folder, "DAMAGED_STORE", `${path} is damaged: it is not what sms writes`, hint);
  }

  it("of a newer version", async () => {
    const folder = folderWith(JSON.stringify({ ...store, version: 2 }));
    const message = `${join(folder, "credentials.json")} was written by a newer version of sms`;
    await expectRefusal(folder, "NEWER_STORE", message, "update sms");
  });
});

describe("a store that others can use is refused, with the command that fixes it:", needs("user ids"), () => {
  it.each([
    ...["0644", "0640", "0660", "0602", "0601"].map((mode) => ["file", mode, "600"] as const),
    ...["0755", "0750", "0701", "0777"].map((mode) => ["folder", mode, "700"] as const),
  ])("a %s of mode %s", async (what, mode, right) => {
    const folder = folderWith(text);
    const path = what === "file" ? join(folder, "credentials.json") : folder;
    chmodSync(path, Number.parseInt(mode, 8));
    await expectInsecure(
      folder,
      `${path} is open to other users (mode ${mode})`,
      `fix it with \`chmod ${right} ${shellLine([path])}\``,
    );
  });

  it("a link in place of the file", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "credentials.json");
    symlinkSync(join(folderWith(text), "credentials.json"), path);
    await expectInsecure(
      folder,
      `${path} is not a plain file`,
      `move it away with \`mv ${shellLine([path, `${path}.other`])}\``,
    );
  });

  it.each([
    ["file", (folder: string) => join(folder, "credentials.json")],
    ["folder", (folder: string) => folder],
  ])("a %s of another user", needs("root"), async (_, pathIn) => {
    const folder = folderWith(text);
    const path = pathIn(folder);
    chownSync(path, 65_534, 65_534);
    await expectInsecure(folder, `${path} belongs to another user`, "set SMS_CONFIG_DIR to a folder of your own");
  });

  it("an empty folder that others can enter, in which a read finds nothing", async () => {
    const folder = join(temporaryFolder(), "open");
    mkdirSync(folder, { mode: 0o755 });

    await expect(changeStore(folder, machine, () => store)).rejects.toMatchObject({ errorCode: "INSECURE_STORE" });
    expect(readStore(folder, uid)).toBeUndefined();
  });

  function expectInsecure(folder: string, reason: string, advice: string): Promise<void> {
    return expectRefusal(folder, "INSECURE_STORE", `refused to use the stored credentials: ${reason}`, advice);
  }
});
