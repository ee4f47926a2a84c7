import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type Conf from "conf";
import { removeLeftovers, replaceFile } from "../files/durable.ts";
import { errorCode } from "../files/error-code.ts";
import { makeFolder } from "../files/folder.ts";
import { type Waiting, withLock } from "../files/lock.ts";
import type { Processes } from "../host.ts";
import { formatStore, parseStore } from "./parse.ts";
import { requirePrivateFolder } from "./privacy.ts";
import { readStore, storeFrom, storePath } from "./read.ts";
import { unreachable } from "./store-faults.ts";
import { emptyStore, type Store } from "./stored.ts";

/** What locking and checking the store need from the host. */
export type Machine = Omit<Waiting, "timeoutMs"> & {
  readonly processes: Processes;
  /** Our user's id, undefined on Windows. */
  readonly uid: number | undefined;
};

/** A change takes milliseconds: after this time the holder of the lock is stuck. */
const lockTimeoutMs = 10_000;

/**
 * Changes the stored credentials under a lock and returns the new ones; the file is replaced atomically. Throws what
 * `edit` throws, and a usage error if the store is refused, stays locked or cannot be written.
 */
export async function changeStore(
  folder: string,
  machine: Machine,
  edit: (store: Store) => Store,
): Promise<Store> {
  const { default: ConfStore } = await import("conf");
  makePrivateFolder(folder, machine.uid);
  const path = storePath(folder);
  return withLock(`${path}.lock`, machine.processes, { ...machine, timeoutMs: lockTimeoutMs }, () => {
    removeLeftovers(path);
    // With our own reader: conf checks neither owner nor mode.
    const after = edit(readStore(folder, machine.uid) ?? emptyStore);
    openConf(ConfStore, path).store = after;
    return after;
  });
}

function makePrivateFolder(folder: string, uid: number | undefined): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw unreachable(folder, errorCode(error));
  }
  requirePrivateFolder(folder, statSync(folder), uid);
}

function openConf(ConfStore: typeof Conf, path: string): Conf<Store> {
  const conf = new ConfStore<Store>({
    cwd: dirname(path),
    configName: basename(path, ".json"),
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    serialize: formatStore,
    deserialize: (text) => storeFrom(Buffer.from(text), path),
  });
  // Its own writer takes a part of the bytes for all of them, and keeps no kill from leaving keys behind.
  const write = (store: Store) => {
    const text = formatStore(store);
    if (parseStore(text).kind !== "store") throw new Error("a change of the credentials would damage them");
    replaceFile(path, Buffer.from(text), 0o600);
  };
  return Object.defineProperty(conf, "_write", { value: write });
}
