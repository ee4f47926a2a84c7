// Runs the chunks of dist from the code that V8 compiled the last time, which is kept in dist, one file for each command.
const {
  closeSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const { basename, sep } = require("node:path");
const { readAsset } = require("./assets.cjs");
const chunkLoader = require("./chunks.cjs");
const { decode, encode } = require("./codes.cjs");

/** V8 drops functions that were not called for a while, so a long run does not have all that a short one calls. Seconds. */
const longest = 10;

/** Returns `load`, which runs a chunk and returns its exports, and `keep`, which keeps the code of all that ran for `command`. */
module.exports = function openChunks(command = "") {
  // Only Node's own loader knows source maps.
  if (process.sourceMapsEnabled) return { load: (name) => require(`./${name}`), keep() {} };
  const file = keptFile(command);
  const kept = file === undefined ? {} : read(file);
  const compiled = {};

  function keep() {
    const fresh = Object.entries(compiled);
    if (file === undefined || fresh.length === 0 || process.uptime() > longest) return;
    const temporary = `${file}.${process.pid}.${Date.now()}`;
    try {
      if (!isOurs()) return;
      const target = openSync(temporary, "wx", 0o644);
      for (const [name, script] of fresh) kept[name] = script.createCachedData();
      writeFileSync(target, encode(kept), { flush: true });
      closeSync(target);
      renameSync(temporary, file);
      removeLeftovers(file);
    } catch {
      // The next start takes as long as this one.
      removeQuietly(temporary);
    }
  }

  return { load: chunkLoader(readAsset, kept, compiled), keep };
};

/** The file for a command's code, named for what compiled it; undefined if none is to be used. */
function keptFile(command) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || !/^[a-z]+$/.test(command)) return undefined;
  return `${__dirname}${sep}${command}-${process.version}-${process.arch}-${BUILD_ID}.kept`;
}

function removeQuietly(path) {
  try {
    rmSync(path, { force: true });
  } catch {
    // A later start removes it.
  }
}

/** Removes what processes that were killed while they kept the code of `file` left behind, once it is a minute old. */
function removeLeftovers(file) {
  const leftovers = readdirSync(__dirname).filter((name) => name.startsWith(`${basename(file)}.`));
  for (const path of leftovers.map((name) => __dirname + sep + name)) {
    if (Date.now() - statSync(path).mtimeMs > 60_000) rmSync(path, { force: true });
  }
}

/** The kept code of each chunk by its name. Where only the owner of dist can add files, it is as good as the chunks. */
function read(file) {
  try {
    return isClosed(statSync(__dirname)) ? decode(readFileSync(file)) : {};
  } catch {
    return {};
  }
}

function isOurs() {
  const stats = statSync(__dirname);
  return isClosed(stats) && (process.getuid === undefined || stats.uid === process.getuid());
}

/** Whether nobody but the owner can write there; true on Windows, which has no such modes. */
function isClosed({ mode }) {
  return process.getuid === undefined || (mode & 0o022) === 0;
}
