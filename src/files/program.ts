import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Host } from "../host.ts";

/** Searches only absolute folders, since Windows would run a program in the working folder first. */
export function findProgram(
  name: string,
  environment: Host["environment"],
  platform: NodeJS.Platform,
): string | undefined {
  const isWindows = platform === "win32";
  const [, path = ""] =
    Object.entries(environment).find(([key]) => (isWindows ? key.toUpperCase() : key) === "PATH") ?? [];
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const exact = isWindows && !name.includes(".") ? [] : [name];
  const names = isWindows ? [...exact, `${name}.com`, `${name}.exe`] : exact;
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
