import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { moveInto, notWritten, removeQuietly } from "../files/durable.ts";
import { makeFolder, errorCode } from "../files/file-system.ts";
import type Conf from "conf";
import { withLock } from "../files/lock.ts";
import { requirePrivateFolder } from "../files/privacy.ts";
import type { Machine } from "../host.ts";
import { credentialsPurpose, formatStore, isStore, readStore, storePath, unreachable } from "./read.ts";
import { editProfile } from "./edits.ts";
import { configFolder, noFolder } from "./folders.ts";
import type { ProfileInUse } from "./resolve.ts";
import { emptyStore, type Profile, requireProfile, type Store } from "./stored.ts";
import type { Context } from "../terminal/context.ts";

export async function changeProfiles(
  { host, presenter }: Pick<Context, "host" | "presenter">,
  edit: (store: Store) => Store,
): Promise<Store> {
  const folder = configFolder(host);
  if (folder === undefined) throw noFolder("credentials");
  return presenter.waitFor("Waiting to change the stored profiles", () => changeStore(folder, host, edit));
}

/** Throws `UNKNOWN_PROFILE` if nothing is stored under the name, unless the profile `mayBeNew`. */
export async function changeProfile(
  name: string,
  context: Pick<Context, "host" | "presenter">,
  edit: (before: Profile) => Profile,
  mayBeNew = false,
): Promise<ProfileInUse> {
  const store = await changeProfiles(context, (before) => {
    if (!mayBeNew) requireProfile(before, name);
    return editProfile(before, name, edit);
  });
  return { ...requireProfile(store, name), name, isStored: true };
}

/** Throws the error of `edit`, or an error that says why nothing was changed. */
export async function changeStore(folder: string, machine: Machine, edit: (store: Store) => Store): Promise<Store> {
  const { default: ConfStore } = await import("conf");
  try {
    makeFolder(folder);
  } catch (error) {
    throw unreachable(folder, errorCode(error));
  }
  requirePrivateFolder(folder, machine.uid, credentialsPurpose);
  const path = storePath(folder);
  return withLock(`${path}.lock`, machine, () => {
    removeCopies(path);
    // conf checks neither owner nor mode, so our own reader reads.
    const after = edit(readStore(folder, machine.uid) ?? emptyStore);
    if (!isStore(after)) throw new Error("a change of the credentials would damage them");
    try {
      moveInto(path, writeCopy(ConfStore, path, after));
    } finally {
      removeCopies(path);
    }
    return after;
  });
}

const copyEnding = ".staged";

/** conf reports no write that was cut short, and the service never shows a key again, so this compares the copy. */
function writeCopy(ConfStore: typeof Conf, path: string, store: Store): string {
  const copy = path + copyEnding;
  let text = "";
  try {
    const conf = new ConfStore<Store>({
      cwd: dirname(copy),
      configName: basename(copy),
      fileExtension: "",
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: formatStore,
    });
    conf.store = store;
    // Node aborts if it cannot close a file that it read as text.
    text = readFileSync(copy).toString();
  } catch (error) {
    throw notWritten(path, error);
  }
  if (text !== formatStore(store)) throw notWritten(path, undefined, "the disk took only a part of it");
  return copy;
}

/** The copies and conf's temporary files have keys. If this fails, the next change removes them. */
function removeCopies(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(basename(path) + copyEnding)) removeQuietly(join(dirname(path), name));
  }
}
