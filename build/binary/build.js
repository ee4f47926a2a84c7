// npm run build:binary makes sms a single file with Node, in `binaries`, with the licences of its parts.
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
import { nodeLicence, target, targetNode } from "./node.js";
import { warmUp } from "./warm-up.js";

/** Source: Node's documentation of single executable applications. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isWindows = target.startsWith("win");

const work = mkdtempSync(join(tmpdir(), "sms-binary-"));
try {
  const dist = join(work, "dist");
  execFileSync(process.execPath, ["build/bundle.js", dist], { cwd: root, stdio: "inherit" });
  process.stdout.write(`${await make(dist)}\n`);
} finally {
  rmSync(work, { recursive: true });
}

async function make(dist) {
  const main = "entry.cjs";
  await build({
    input: join(root, "build/binary/entry.cjs"),
    platform: "node",
    logLevel: "silent",
    output: { file: join(work, main), format: "cjs", minify: true, comments: false },
  });
  const node = targetNode();
  const assets = filesOf(dist);
  for (const [name, path] of Object.entries(filesOf(warmUp(node, dist, work)))) assets[`code/${name}`] = path;
  const output = join(work, "blob");
  // NODE_OPTIONS and OPENSSL_CONF name code to run: docs/internals/decisions.md.
  const execArgv = [`--openssl-config=${isWindows ? "NUL" : "/dev/null"}`, "--disable-sigusr1"];
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true, execArgv, execArgvExtension: "none" };
  // The blob has the path of the main file, so that path is relative.
  writeFileSync(join(work, "sea.json"), JSON.stringify({ main, output, assets, ...options }));
  execFileSync(node, ["--experimental-sea-config", "sea.json"], { cwd: work, stdio: "ignore" });
  mkdirSync(join(root, "binaries"), { recursive: true });
  const file = join(root, "binaries", `sms-${target}${isWindows ? ".exe" : ""}`);
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", file]);
  await inject(file, "NODE_SEA_BLOB", readFileSync(output), { sentinelFuse: fuse, machoSegmentName: "NODE_SEA" });
  // macOS runs nothing that is not signed.
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", file]);
  const licences = [join(root, "LICENSE"), join(dist, "THIRD-PARTY-LICENSES.txt")].map((path) =>
    readFileSync(path, "utf8").trim(),
  );
  const text = [...licences, nodeLicence()].join(`\n\n${"=".repeat(80)}\n\n`);
  writeFileSync(join(root, "binaries", `LICENSES-${target}.txt`), `${text}\n`);
  return file;
}

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
