import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { editProfile, useKey } from "../../src/profiles/edits.ts";
import { formatStore, readStore } from "../../src/profiles/read.ts";
import { changeStore } from "../../src/profiles/store.ts";
import { emptyStore, type Store } from "../../src/profiles/stored.ts";
import { bundle, onFullDisk, start } from "../files/child.ts";
import { machine } from "../files/this-process.ts";
import { trials } from "../support/trials.ts";
import { adding, profile, storedKey, storeOf } from "./stored.ts";
import { temporaryFolder } from "../support/folders.ts";

let script: string;

beforeAll(async () => {
  script = await bundle("test/profiles/store-child.ts");
});

/** A store over 4 kB. */
const large = storeOf({
  ...profile,
  keys: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, storedKey(`sk_test_${index}`)])),
  credentials: { kind: "key", name: "k0" },
});

function folderWith(store: Store): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "credentials.json"), formatStore(store), { mode: 0o600 });
  return folder;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("changeStore", () => {
  it("writes and returns the edited store", async () => {
    const folder = folderWith(storeOf());
    const after = await changeStore(folder, machine, adding("a.b"));
    expect(after).toEqual(storeOf({ ...profile, keys: { ...profile.keys, "a.b": storedKey("sk_test_a.b") } }));
    expect(readStore(folder, machine.uid)).toEqual(after);
    expect(readdirSync(folder)).toEqual(["credentials.json"]);
  });

  it("keeps fields of later versions", async () => {
    const later = { ...storeOf(), colour: "red", profiles: { default: { ...profile, tags: ["a"] } } };
    const folder = folderWith(later);

    await changeStore(folder, machine, (before) => editProfile(before, "default", (entry) => useKey(entry, "dev")));

    const entry = { ...profile, tags: ["a"], credentials: { kind: "key", name: "dev" } };
    expect(readStore(folder, machine.uid)).toEqual({ ...later, profiles: { default: entry } });
  });

  it.each(["000", "022", "077"])("starts with an empty store, private with umask %s", async (umask) => {
    const folder = join(temporaryFolder(), "config", "sms");
    const child = start("sh", "-c", `umask ${umask}; exec "$0" "$@"`, process.execPath, script, "empty", folder);

    expect(await child.hear()).toBe("done");
    const modes = { folder: modeOf(folder), file: modeOf(join(folder, "credentials.json")) };
    expect(modes).toEqual({ folder: 0o700, file: 0o600 });
    expect(readStore(folder, machine.uid)).toEqual(emptyStore);
  });

  it.each([
    ["fails", adding("dev"), 'key "dev" already exists'],
    ["would damage it", (store: Store) => ({ ...store, active: "" }), "a change of the credentials would damage them"],
  ])("keeps the store if the edit %s", async (_, edit, message) => {
    const folder = folderWith(storeOf());
    await expect(changeStore(folder, machine, edit)).rejects.toThrow(message);
    expect(readFileSync(join(folder, "credentials.json"), "utf8")).toBe(formatStore(storeOf()));
    expect(readdirSync(folder)).toEqual(["credentials.json"]);
  });
});

it("a store loses no key when several processes add keys at once", async () => {
  const folder = folderWith(storeOf());
  const names = Array.from("abcdefgh").slice(0, trials("PROCESSES", 4, 8));

  const children = names.map((name) => start(process.execPath, script, "add", folder, name, "5"));

  expect(await Promise.all(children.map((child) => child.hear()))).toEqual(names.map(() => "done"));
  const added = names.flatMap((name) => [0, 1, 2, 3, 4].map((index) => `${name}${index}`));
  const { keys } = readStore(folder, machine.uid)?.profiles["default"] ?? profile;
  expect(Object.keys(keys).sort()).toEqual([...added, "dev", "prod"].sort());
  expect(readdirSync(folder)).toEqual(["credentials.json"]);
});

it("a store keeps all keys after a partial write", async () => {
  const folder = folderWith(large);
  const child = start("sh", ...onFullDisk, script, "add", folder, "new");

  expect(await child.hear()).toBe(
    `${join(folder, "credentials.json")} could not be written (the disk took only a part of it); the old file is unchanged`,
  );
  expect(readStore(folder, machine.uid)).toEqual(large);
  expect(readdirSync(folder)).toEqual(["credentials.json"]);
});

it("a store on a disk that is full keeps all keys, and takes another once there is space", async ({ skip }) => {
  const folder = join(temporaryFolder(), "disk");
  mkdirSync(folder);
  const mount = (...args: readonly string[]) => spawnSync("mount", [...args, folder]).status === 0;
  if (!mount("-t", "tmpfs", "-o", "size=16k,mode=0700", "none")) skip("no tmpfs can be mounted here");
  onTestFinished(() => void spawnSync("umount", [folder]));
  writeFileSync(join(folder, "credentials.json"), formatStore(large), { mode: 0o600 });

  await expect(changeStore(folder, machine, adding("new"))).rejects.toThrow(
    `${join(folder, "credentials.json")} could not be written (ENOSPC); the old file is unchanged`,
  );

  expect(readStore(folder, machine.uid)).toEqual(large);
  expect(readdirSync(folder)).toEqual(["credentials.json"]);
  mount("-o", "remount,size=1m");
  const after = await changeStore(folder, machine, adding("new"));
  expect(readStore(folder, machine.uid)).toEqual(after);
});

describe("the store of a process that is killed at a random moment", () => {
  const fewestKills = trials("KILLS", 3, 8);
  const storeAfter = (times: number) => (times === 0 ? large : adding(`new${times}`)(large));

  /** Kills a child and returns the files that it left next to the store. */
  async function killOne(folder: string): Promise<readonly string[]> {
    const child = start(process.execPath, script, "change", folder, "new");
    expect(await child.hear()).toBe("changed");
    await machine.sleep(Math.random() * 25);
    child.kill("SIGKILL");
    let times = 1;
    while ((await child.hear()) !== undefined) times++;
    await child.ended;
    expect([storeAfter(times), storeAfter(times + 1)]).toContainEqual(readStore(folder, machine.uid));
    return readdirSync(folder).filter((name) => name !== "credentials.json");
  }

  it("is the old or the new one; leftovers are private and removed by the next change", async () => {
    await Promise.all(
      [folderWith(large), folderWith(large)].map(async (folder) => {
        let isHit = false;
        // At least one kill must hit a change.
        for (let kills = 0; kills < fewestKills || !isHit; kills++) {
          const names = await killOne(folder);
          // A socket has no content.
          const files = names.filter((name) => !name.endsWith(".s"));
          expect(files.filter((name) => modeOf(join(folder, name)) !== 0o600)).toEqual([]);
          await changeStore(folder, machine, () => large);
          expect(readdirSync(folder)).toEqual(["credentials.json"]);
          isHit ||= names.some((name) => name.includes(".staged"));
        }
      }),
    );
  });
});
