import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../files/open-file.ts";
import type { StateFolder } from "../../files/state-folder.ts";
import type { OptedOut, OptOutKeeper } from "../opt-outs.ts";
import type { ListMachine } from "./opt-out-list.ts";

/** Most people have no opt-outs, so the reader is loaded only if there is a list. */
export function optOutFolder(state: StateFolder, machine: ListMachine): OptOutKeeper {
  const open = async () => (await import("./opt-out-list.ts")).openList(state, machine);
  const none: OptedOut = {
    size: 0,
    has: () => false,
    isCurrent: () => !mayExist(state),
    renew: () => numbers(),
  };
  const numbers = async () => (mayExist(state) ? (await open()).numbers(none) : none);
  return {
    list: async () => (await open()).list(),
    add: async (more) => (await open()).add(more),
    remove: async (people) => (await open()).remove(people),
    numbers,
  };
}

/** A link that leads nowhere may hide the list. */
function mayExist({ path }: StateFolder): boolean {
  const isThere = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  try {
    return isThere(join(path, "optout")) || (!existsSync(path) && isThere(path));
  } catch (error) {
    return errorCode(error) !== "ENOTDIR";
  }
}
