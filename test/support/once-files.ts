import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The files of the keys of `--once` in a state folder: records, and locks of who is at work. */
export function onceFiles(state: string): readonly string[] {
  const folder = join(state, "once");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
}
