// Runs the chunks of dist, from the code that V8 made of them the last time where that was kept: to compile them anew takes a
// third of a send. Node's own compile cache saves a quarter of that, and Node 20 has none.
const {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const dist = path.join(__dirname, "../dist");
const opening = "(function (exports, require, module, __filename, __dirname) {";

/** V8 drops code that was not used for a while; what is kept is to have all that a short command uses. Seconds. */
const longest = 5;

/**
 * Gives `load`, which runs a chunk and gives what it exports, and `keep`, which keeps the code of what was run for the next
 * time that `command` is; for a command that is no plain word nothing is kept.
 */
module.exports = function openChunks(command = "") {
  // Only Node's own loader knows of source maps.
  if (process.sourceMapsEnabled) return { load: (name) => require(path.join(dist, name)), keep() {} };
  const place = /^[a-z]+$/.test(command) ? placeFor(command) : undefined;
  const build = readFileSync(path.join(dist, "build-id"), "latin1");
  const kept = place === undefined ? {} : read(place, build);
  const compiled = {};
  const modules = {};

  function load(name) {
    if (modules[name] !== undefined) return modules[name].exports;
    const module = (modules[name] = { exports: {} });
    const filename = path.join(dist, name);
    const script = new Script(`${opening}${readFileSync(filename, "latin1")}\n})`, {
      filename,
      columnOffset: -opening.length,
      cachedData: kept[name],
    });
    if (script.cachedDataRejected !== false) compiled[name] = script;
    const run = script.runInThisContext();
    const find = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    run(module.exports, find, module, filename, dist);
    return module.exports;
  }

  function keep() {
    const fresh = Object.entries(compiled);
    if (place === undefined || fresh.length === 0 || process.uptime() > longest) return;
    try {
      write(place, () => {
        for (const [name, script] of fresh) kept[name] = script.createCachedData();
        return encode(kept, build);
      });
    } catch {
      // The next one takes as long as this one did.
    }
  }

  return { load, keep };
};

/** Where the code that a command ran is kept for this Node; undefined where that is not wanted, or there is no such place. */
function placeFor(command) {
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = "", LOCALAPPDATA = "", HOME = "" } = process.env;
  const onUnix = path.isAbsolute(XDG_CACHE_HOME) ? [XDG_CACHE_HOME, "sms"] : [HOME, ".cache/sms"];
  const customary = { win32: [LOCALAPPDATA, "sms/cache"], darwin: [HOME, "Library/Caches/sms"] };
  const [base, folder] = customary[process.platform] ?? onUnix;
  if (NODE_DISABLE_COMPILE_CACHE || !path.isAbsolute(base)) return undefined;
  return { base, file: path.join(base, folder, `${process.version}-${process.arch}`, `${command}.bin`) };
}

/** The code of each chunk by its name; none where it is of another build, or somebody else may have put it there. */
function read({ file }, build) {
  let descriptor;
  try {
    descriptor = openSync(file);
    const stats = fstatSync(descriptor);
    if (!isOurs(stats) || (process.platform !== "win32" && stats.mode & 0o022)) return {};
    return decode(readFileSync(descriptor), build);
  } catch {
    return {};
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** None where it is not whole. */
function decode(bytes, build) {
  const codes = {};
  let end = bytes.indexOf("\n");
  const head = JSON.parse(bytes.latin1Slice(0, end++));
  if (head.build !== build) return {};
  for (const [name, length] of head.chunks) codes[name] = bytes.subarray(end, (end += length));
  return end === bytes.length ? codes : {};
}

/** A line of JSON that says of which build it is and how long the code of each chunk, then these one after another. */
function encode(codes, build) {
  const chunks = Object.entries(codes).map(([name, code]) => [name, code.length]);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ build, chunks })}\n`), ...Object.values(codes)]);
}

/** Puts what `content` makes there whole or not at all, since V8 looks at little more than its length. */
function write({ base, file }, content) {
  const temporary = `${file}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    // Nobody's home is made here, nor anything in somebody else's, as under sudo.
    if (!isOurs(statSync(base))) return;
    makeFolders(base, path.dirname(file));
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, content());
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** One by one: Node's own way, `recursive`, never ends where a file system has no folder and makes none, as /proc. */
function makeFolders(base, folder) {
  if (folder === base || existsSync(folder)) return;
  makeFolders(base, path.dirname(folder));
  mkdirSync(folder, 0o700);
}

function isOurs({ uid }) {
  return process.getuid === undefined || uid === process.getuid();
}
