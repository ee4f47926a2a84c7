import { execFileSync } from "node:child_process";

/** Builds `dist` once before the tests, so that those that run the program run what is in the tree. */
export function setup(): void {
  execFileSync(process.execPath, ["build/bundle.js"], { stdio: "inherit" });
}
