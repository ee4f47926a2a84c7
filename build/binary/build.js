// Makes sms a single file that has Node within it: npm run build:binary [-- TARGET]…
// TARGET is a system of node.js; this one by default. The files are in `binaries`, each with the licences of what is in it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "postject";
import { build } from "rolldown";
import { nodeFor, nodeLicence, own, versionFor } from "./node.js";
import { warmUp } from "./warm-up.js";

/** Marks the place in Node that says whether it has a program within: Node's documentation of single executables has it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const root = fileURLToPath(new URL("../..", import.meta.url));
const targets = process.argv.length > 2 ? process.argv.slice(2) : [own];

const work = mkdtempSync(join(tmpdir(), "sms-binary-"));
try {
  const dist = join(work, "dist");
  execFileSync(process.execPath, ["build/bundle.js", dist], { cwd: root, stdio: "inherit" });
  const main = "entry.cjs";
  await build({
    input: join(root, "build/binary/entry.cjs"),
    platform: "node",
    logLevel: "silent",
    output: { file: join(work, main), format: "cjs", minify: true, comments: false },
  });
  mkdirSync(join(root, "binaries"), { recursive: true });
  for (const target of targets) process.stdout.write(`${await make(target, dist, main)}\n`);
} finally {
  rmSync(work, { recursive: true });
}

/** Returns the path of the file. */
async function make(target, dist, main) {
  const node = nodeFor(target);
  const isOwn = target === own;
  const assets = filesOf(dist);
  if (isOwn) {
    for (const [name, path] of Object.entries(filesOf(await warmUp(node, dist, work)))) assets[`code/${name}`] = path;
  }
  const blob = join(work, `${target}.blob`);
  // NODE_OPTIONS and OPENSSL_CONF name code to run: docs/decisions.md.
  const execArgv = [`--openssl-config=${target.startsWith("win") ? "NUL" : "/dev/null"}`, "--disable-sigusr1"];
  const options = { disableExperimentalSEAWarning: true, useCodeCache: isOwn, execArgv, execArgvExtension: "none" };
  // The blob has the path of the main file, so that is a relative one.
  writeFileSync(join(work, "sea.json"), JSON.stringify({ main, output: blob, assets, ...options }));
  // The Node that writes the blob is of the version that reads it.
  const writer = isOwn ? node : nodeFor(own, versionFor(target));
  execFileSync(writer, ["--experimental-sea-config", "sea.json"], { cwd: work, stdio: "ignore" });
  const file = join(root, "binaries", `sms-${target}${target.startsWith("win") ? ".exe" : ""}`);
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", file]);
  await inject(file, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: fuse, machoSegmentName: "NODE_SEA" });
  // macOS runs nothing that is not signed at all.
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", file]);
  writeFileSync(join(root, "binaries", `LICENSES-${target}.txt`), licencesFor(target, dist));
  return file;
}

/** Returns the licences of the program, of the bundled packages, and of Node with its parts. */
function licencesFor(target, dist) {
  const bundled = readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8").trim();
  const parts = [readFileSync(join(root, "LICENSE"), "utf8").trim(), bundled, nodeLicence(target)];
  return `${parts.join(`\n\n${"=".repeat(80)}\n\n`)}\n`;
}

/** The files of a folder that a program reads, by their paths in it. */
function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const unread = /\.(?:map|1)$|[\\/](start|assets)\.cjs$/;
  return Object.fromEntries(
    paths
      .filter((path) => !unread.test(path))
      .map((path) => [path.slice(folder.length + 1).replaceAll("\\", "/"), path]),
  );
}
