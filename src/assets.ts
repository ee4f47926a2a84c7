import { readFileSync } from "node:fs";

/** Returns a file that belongs to the program, by its path in `src`. In the bundle `build/startup/assets.cjs` takes its place. */
export function readAsset(path: string): Buffer {
  return readFileSync(new URL(path, import.meta.url));
}
