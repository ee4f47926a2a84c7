// Runs the chunks of the bundle as scripts, from code that V8 compiled before.
const { Script } = require("node:vm");
const { sep } = require("node:path");

const opening = "(function (exports, require, module, __filename, __dirname) {";
const before = Buffer.from(opening);
const after = Buffer.from("\n})");

/**
 * Returns `load`, which runs a chunk once and returns its exports. `kept` is the code of chunks by their names, which V8 compiled
 * before; what it compiles now is added to `compiled`. `readAsset` reads the bundle's files.
 */
module.exports = function chunkLoader(readAsset, kept, compiled) {
  const modules = { "assets.cjs": { exports: { readAsset } } };

  function load(name) {
    return (modules[name] ?? run(name)).exports;
  }

  function run(name) {
    const module = (modules[name] = { exports: {} });
    const filename = __dirname + sep + name;
    const find = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    try {
      compile(name)(module.exports, find, module, filename, __dirname);
    } catch (error) {
      delete modules[name];
      throw error;
    }
    return module;
  }

  function compile(name) {
    // Joined as bytes: V8 would keep a joined string beside its parts.
    const script = new Script(Buffer.concat([before, readAsset(name), after]).latin1Slice(), {
      // Without the folder, because V8 keeps the name with the code.
      filename: name,
      columnOffset: -opening.length,
      cachedData: kept[name],
    });
    if (script.cachedDataRejected !== false) compiled[name] = script;
    return script.runInThisContext();
  }

  return load;
};
