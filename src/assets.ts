import { readFileSync } from "node:fs";

/** The path is in `dist`. In the bundle `build/assets.cjs` takes the place of this file. */
export function readAsset(path: string): Buffer {
  return readFileSync(new URL(`../dist/${path}`, import.meta.url));
}
