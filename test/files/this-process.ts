import type { StateFolder } from "../../src/files/state-folder.ts";
import { type Machine, systemHost } from "../../src/host.ts";

const never = new AbortController().signal;

export const machine: Machine = {
  ...systemHost(),
  environment: {},
  interruption: () => ({ stop: never, leave: never }),
};

export const { processes } = machine;

/** Returns a state folder that is to be of our user. */
export function ours(path: string): StateFolder {
  return { path, uid: machine.uid };
}
