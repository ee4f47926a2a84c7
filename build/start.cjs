// The build copies this entry into dist. Node starts CommonJS faster than a module.
const { existsSync, lstatSync, mkdirSync } = require("node:fs");
const { readAsset } = require("./assets.cjs");
const start = require("./entry.cjs");

void start(() => {
  keepCompiledCode();
  return require("./main.cjs");
}, readAsset);

/** Only we can use the folder, since the code in the folder is run. Node has this from version 22 on. */
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
