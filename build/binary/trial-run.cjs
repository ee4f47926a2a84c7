// node trial-run.cjs DIST FOLDER ARGUMENT… runs one command line, and writes the code that V8 compiled.
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
    if (!existsSync(file)) writeFileSync(file, script.createCachedData());
  }
  process.exit(exitCode);
});
