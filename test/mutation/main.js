// Changes one operator or constant at a time, and prints the changes that no test notices:
// npm run mutation [-- --count 40 --seed 7 --room service --file proxy]
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomFrom, sitesIn } from "./sites.js";

const rooms = ["message", "service", "delivery", "runs", "recipients", "profiles", "files"];
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    room: { type: "string", multiple: true, default: rooms },
    /** Only in files whose path contains this. */
    file: { type: "string", default: "" },
    /** Seconds for all the tests of one mutant; what takes longer counts as caught. */
    limit: { type: "string", default: "150" },
  },
});

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "mutants-")));
const copy = join(folder, "copy");
const temporary = join(folder, "t");
/** Test files that fail without any change as well, so that their failure says nothing. */
const broken = new Set();
/** Test files that pass without any change. */
const sound = new Set();
/** The tests that run now. */
let child;

process.once("exit", () => {
  stop();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

const tracked = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--exclude=node_modules");
for (const name of tracked) fs.cpSync(join(root, name), join(copy, name));
fs.symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
fs.mkdirSync(temporary);

const files = tracked.filter(
  (name) => values.room.some((room) => name.startsWith(`src/${room}/`)) && name.includes(values.file),
);
const sites = files.flatMap((name) => sitesIn(name, fs.readFileSync(join(root, name), "utf8")));
if (sites.length === 0) throw new Error("there is no operator or constant in such files");
const random = randomFrom(Number(values.seed));
const count = Math.min(Number(values.count), sites.length);
say(`${count} of ${sites.length} operators and constants in ${files.length} files, seed ${values.seed}`);

let caught = 0;
for (let turn = 1; turn <= count; turn++) {
  const [mutants] = sites.splice(Math.floor(random() * sites.length), 1);
  const mutant = mutants[Math.floor(random() * mutants.length)];
  const by = await whoCatches(mutant);
  const place = `${mutant.name}:${mutant.line}`;
  if (by === undefined) {
    say(`${String(turn).padStart(3)}  SURVIVED  ${place}\n       - ${mutant.before}\n       + ${mutant.after}`);
  } else {
    caught++;
    say(`${String(turn).padStart(3)}  caught    ${place}  by ${by}`);
  }
}
say(`${caught} of ${count} caught (${((100 * caught) / count).toFixed(1)} %), seed ${values.seed}`);

/** Returns the test file that fails with a mutant, or what else notices it; undefined if nothing does. */
async function whoCatches({ name, source }) {
  for (;;) {
    const path = join(copy, name);
    const original = fs.readFileSync(path);
    fs.writeFileSync(path, source);
    const ended = await vitest(["related", path], name);
    fs.writeFileSync(path, original);
    if (ended.isLate) return "the time limit";
    if (ended.code === 0) return undefined;
    const [failed] = ended.failed;
    if (failed === undefined) return `an error outside of the tests: ${ended.error}`;
    if (sound.has(failed)) return failed;
    const unchanged = await vitest(["run", failed], name);
    if (unchanged.code === 0) {
      sound.add(failed);
      return failed;
    }
    broken.add(failed);
    say(`     fails without any change, and is left out: ${failed}`);
  }
}

/** Runs tests in the copy. `name` is the changed file, whose own tests go first. */
async function vitest(args, name) {
  const report = join(folder, "report.json");
  const log = join(folder, "log");
  fs.rmSync(report, { force: true });
  const output = fs.openSync(log, "w");
  const excluded = [...broken].flatMap((test) => ["--exclude", test]);
  const options = [
    "--run",
    "--config=test/mutation/vitest.config.ts",
    "--reporter=json",
    `--outputFile=${report}`,
    ...excluded,
  ];
  const ends = new Promise((resolve) => {
    child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", ...args, ...options], {
      cwd: copy,
      env: { ...process.env, MUTANT: name, SMS_TEST_SEED: values.seed, TMPDIR: temporary },
      stdio: ["ignore", output, output],
      detached: true,
    }).once("close", resolve);
  });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      stop();
    },
    1_000 * Number(values.limit),
  );
  const code = await ends;
  clearTimeout(timer);
  // A test that fails early can leave processes behind.
  stop();
  child = undefined;
  fs.closeSync(output);
  const error = /^.*Error.*$/m.exec(fs.readFileSync(log, "utf8"))?.[0];
  return { code, isLate, failed: failedIn(report), error };
}

/** The test files that failed. A run that was killed has no report. */
function failedIn(report) {
  try {
    const { testResults } = JSON.parse(fs.readFileSync(report, "utf8"));
    return testResults.filter(hasFailed).map((test) => relative(copy, test.name));
  } catch {
    return [];
  }
}

/** The first failure can end the run before its file is marked. */
function hasFailed({ status, assertionResults }) {
  return status === "failed" || assertionResults.some((test) => test.status === "failed");
}

/** Kills the tests that run now and their workers. */
function stop() {
  if (child === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
