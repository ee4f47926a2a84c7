import { readdirSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";

/** The paths of a run's files. */
export interface RunFiles {
  readonly name: string;
  readonly folder: string;
  readonly header: string;
  readonly plan: string;
  readonly journal: string;
  readonly lock: string;
}

/** Returns the name of a run if it has 1 to 64 letters, digits, dots, hyphens and underscores; else throws `INVALID_RUN_NAME`. */
export function checkRunName(name: string): string {
  if (isRunName(name) && name !== "." && name !== "..") return name;
  throw usageError(
    "INVALID_RUN_NAME",
    `${JSON.stringify(name)} is not a name for a run`,
    "use up to 64 letters, digits, dots, hyphens and underscores",
  );
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

/** Returns the paths of the run of that name under the state folder. Throws as `checkRunName`. */
export function runFiles(state: string, name: string): RunFiles {
  const folder = join(runsFolder(state), checkRunName(name));
  return {
    name,
    folder,
    header: join(folder, "run.json"),
    plan: join(folder, "plan.ndjson"),
    journal: join(folder, "journal.ndjson"),
    lock: join(folder, "lock"),
  };
}

/** Returns the names of all runs in a state folder, damaged ones included. */
export function runNames(state: string): readonly string[] {
  try {
    return readdirSync(runsFolder(state)).filter(isRunName);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function runsFolder(state: string): string {
  return join(state, "runs");
}

function isRunName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}
