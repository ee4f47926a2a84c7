// Runs one command line, and writes the code that V8 compiled: node trial-run.cjs DIST FOLDER ARGUMENT…
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const openChunks = require("./chunks.cjs");

const [dist, folder, ...argv] = process.argv.slice(2);
const { load, scripts } = openChunks(
  (path) => readFileSync(join(dist, path)),
  () => undefined,
);
const { main, systemHost } = load("main.cjs");
void main(argv, systemHost()).then((exitCode) => {
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, name);
    // What an earlier run called has the code of its functions as well.
    if (!existsSync(file)) writeFileSync(file, script.createCachedData());
  }
  process.exit(exitCode);
});
