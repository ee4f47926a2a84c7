import { readFileSync } from "node:fs";

/** Returns a file that was built with the program, by its path in `dist`. In the bundle `build/assets.cjs` takes its place. */
export function readAsset(path: string): Buffer {
  return readFileSync(new URL(`../dist/${path}`, import.meta.url));
}
