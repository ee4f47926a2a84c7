import { readdirSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../../errors.ts";
import { errorCode } from "../../files/error-code.ts";
import type { OnRead } from "./line-file.ts";
import { sizeOf } from "./read-share.ts";
import { readOwnFile, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";

/** The paths of a run's files. */
export interface RunFiles {
  readonly state: StateFolder;
  readonly name: string;
  readonly folder: string;
  readonly header: string;
  readonly plan: string;
  readonly journal: string;
  readonly lock: string;
  /** Receives how much of plan and journal is read before the run is sent or shown. */
  readonly onRead?: OnRead;
}

/**
 * Returns the name of a run if it has 1 to 64 letters, digits, dots, hyphens and underscores and Windows can have a folder of
 * that name; else throws `INVALID_RUN_NAME`. A key that was pasted as the name is refused: the name of a folder is no secret.
 */
export function checkRunName(name: string): string {
  if (/sk_(test|live)_/.test(name)) throw invalidName(name, "it is an API key: name the run after what it is for");
  if (!isRunName(name)) throw invalidName(name, "use up to 64 letters, digits, dots, hyphens and underscores");
  if (name.endsWith(".")) throw invalidName(name, "end it with another character than a dot");
  // Also with an extension.
  if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name))
    throw invalidName(name, "Windows reserves it: choose another");
  return name;
}

function invalidName(name: string, hint: string): Error {
  return usageError("INVALID_RUN_NAME", `${JSON.stringify(name)} is not a name for a run`, hint);
}

/** Returns a name for a run that was given none: its start in UTC and four random characters. */
export function newRunName(now: number, random: number): string {
  const time = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  return `${time}-${Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, "0")}`;
}

/** Returns the paths of the run of that name under the state folder. Throws as `checkRunName` and `requirePrivateRun`. */
export function runFiles(state: StateFolder, name: string): RunFiles {
  const folder = join(runsFolder(state), checkRunName(name));
  requirePrivateRun(state, name);
  return {
    state,
    name,
    folder,
    header: join(folder, "run.json"),
    plan: join(folder, "plan.ndjson"),
    journal: join(folder, "journal.ndjson"),
    lock: join(folder, "lock"),
  };
}

/**
 * Returns the same files and the share of them that was read so far, from 0 to 1. `plans` and `journals` say how often the
 * reader goes through each.
 */
export function watchedFiles(
  files: RunFiles,
  { plans, journals }: { readonly plans: number; readonly journals: number },
): { readonly files: RunFiles; readonly share: () => number } {
  const all = plans * sizeOf(files.plan) + journals * sizeOf(files.journal);
  let read = 0;
  return { files: { ...files, onRead: (bytes) => (read += bytes) }, share: () => Math.min(1, read / Math.max(1, all)) };
}

/** Throws a usage error `INSECURE_STATE` if others can use the folders of a run. */
export function requirePrivateRun(state: StateFolder, name: string): void {
  requirePrivateState(state, "runs", name);
}

/** Returns the names of all runs in a state folder, damaged ones included. Throws as `requirePrivateState`. */
export function runNames(state: StateFolder): readonly string[] {
  requirePrivateState(state, "runs");
  try {
    return readdirSync(runsFolder(state)).filter(isRunName);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns the text of a file; undefined if there is none. Throws as `readOwnFile`. */
export function readIfThere(path: string): string | undefined {
  try {
    return readOwnFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the folder of all runs. */
export function runsFolder({ path }: StateFolder): string {
  return join(path, "runs");
}

function isRunName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}
