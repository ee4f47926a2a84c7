// The program's entry, which the build copies into dist. CommonJS, which Node starts faster than a module.
const { existsSync, lstatSync, mkdirSync } = require("node:fs");
const { readAsset } = require("./assets.cjs");
const start = require("./entry.cjs");

void start(() => {
  keepCompiledCode();
  return require("./main.cjs");
}, readAsset);

/** Lets Node, from version 22 on, keep what V8 compiles, in a folder beside the program that only we can read and write. */
function keepCompiledCode() {
  const { enableCompileCache } = require("node:module");
  if (enableCompileCache === undefined || process.getuid === undefined) return;
  const folder = `${__dirname}/../.compile-cache`;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    const stats = lstatSync(folder);
    const isOurs = stats.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o077) === 0;
    if (isOurs) enableCompileCache(folder);
  } catch {
    // V8 compiles anew.
  }
}
