// Runs the chunks of dist, from the code that V8 made of them the last time where that was kept: to compile them anew takes a
// quarter of a send. Node's own compile cache saves a quarter of that, and Node 20 has none.
const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
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
const longest = 10;

/** Ten times what there is to keep. Bytes. */
const largest = 8e6;

/**
 * Gives `load`, which runs a chunk and gives what it exports, and `keep`, which keeps the code of what was run for the next
 * time that `command` is; for a command that is no plain word nothing is kept.
 */
module.exports = function openChunks(command = "") {
  // Only Node's own loader knows of source maps.
  if (process.sourceMapsEnabled) return { load: (name) => require(path.join(dist, name)), keep() {} };
  const place = /^[a-z]+$/.test(command) ? placeFor(command) : undefined;
  const kept = place === undefined ? {} : read(place);
  const compiled = {};
  const modules = {};

  function load(name) {
    return (modules[name] ?? run(name)).exports;
  }

  function run(name) {
    const module = (modules[name] = { exports: {} });
    const filename = path.join(dist, name);
    const find = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    try {
      compile(name, filename)(module.exports, find, module, filename, dist);
    } catch (error) {
      delete modules[name];
      throw error;
    }
    return module;
  }

  function compile(name, filename) {
    const script = new Script(`${opening}${readFileSync(filename, "latin1")}\n})`, {
      filename,
      columnOffset: -opening.length,
      cachedData: kept[name],
    });
    if (script.cachedDataRejected !== false) compiled[name] = script;
    return script.runInThisContext();
  }

  function keep() {
    const fresh = Object.entries(compiled);
    if (place === undefined || fresh.length === 0 || process.uptime() > longest) return;
    try {
      write(place, () => {
        for (const [name, script] of fresh) kept[name] = script.createCachedData();
        return encode(kept, place.build);
      });
    } catch {
      // The next one takes as long as this one did.
    }
  }

  return { load, keep };
};

/**
 * Where the code that a command ran is kept for this Node, and the build that it must be of; undefined where that is not
 * wanted, or there is no such place.
 */
function placeFor(command) {
  const { NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = "", LOCALAPPDATA = "", HOME = "" } = process.env;
  const onUnix = path.isAbsolute(XDG_CACHE_HOME) ? [XDG_CACHE_HOME, "sms"] : [HOME, ".cache/sms"];
  const customary = { win32: [LOCALAPPDATA, "sms/cache"], darwin: [HOME, "Library/Caches/sms"] };
  const [base, folder] = customary[process.platform] ?? onUnix;
  if (NODE_DISABLE_COMPILE_CACHE || !path.isAbsolute(base)) return undefined;
  return {
    base: path.resolve(base),
    file: path.join(base, folder, `${process.version}-${process.arch}`, `${command}.bin`),
    build: readFileSync(path.join(dist, "build-id"), "latin1"),
  };
}

/** The code of each chunk by its name; none where it is of another build, or somebody else may have put it there. */
function read({ base, file, build }) {
  let descriptor;
  try {
    if (!isPrivate(base, path.dirname(file))) return {};
    // A FIFO would be waited for.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!isOnlyOurs(stats) || !stats.isFile() || stats.size > largest) return {};
    return decode(readFileSync(descriptor), build);
  } catch {
    return {};
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** None where it is not what `encode` made for this build. */
function decode(bytes, build) {
  const start = bytes.indexOf("\n") + 1;
  const head = JSON.parse(bytes.latin1Slice(0, start));
  if (head.build !== build || head.crc !== checksum(bytes.subarray(start))) return {};
  const codes = {};
  let end = start;
  for (const [name, length] of head.chunks) codes[name] = bytes.subarray(end, (end += length));
  return codes;
}

/**
 * A line of JSON that says of which build it is and how long the code of each chunk, then these one after another. With a
 * checksum, for V8 runs whatever begins as it should.
 */
function encode(codes, build) {
  const chunks = Object.entries(codes).map(([name, code]) => [name, code.length]);
  const body = Buffer.concat(Object.values(codes));
  return Buffer.concat([Buffer.from(`${JSON.stringify({ build, chunks, crc: checksum(body) })}\n`), body]);
}

/** Loaded only here: Node takes longer over zlib than over the sum. */
function checksum(bytes) {
  return require("node:zlib").crc32(bytes);
}

/** Puts what `content` makes there whole or not at all. */
function write({ base, file }, content) {
  const folder = path.dirname(file);
  const temporary = `${file}.tmp`;
  // Nobody's home is made here, nor anything in another's.
  if (!isPrivate(base, base)) return;
  makeFolders(base, folder);
  if (!isPrivate(base, folder)) return;
  try {
    writeFileSync(temporary, content(), { mode: 0o600 });
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

/** Whether nobody else can put anything there, from `base` down, which under sudo may be another's: code is run from it. */
function isPrivate(base, folder) {
  return isOnlyOurs(statSync(folder)) && (folder === base || isPrivate(base, path.dirname(folder)));
}

function isOnlyOurs({ uid, mode }) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}
