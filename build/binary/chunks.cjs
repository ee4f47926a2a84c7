// Runs the chunks of the bundle as scripts, from code that V8 compiled when the program was built.
const { Script } = require("node:vm");

const opening = "(function (exports, require, module, __filename, __dirname) {";

/**
 * Returns `load`, which runs a chunk once and returns its exports, and `scripts`, the chunks that ran, by their names.
 * `readAsset` reads the bundle's files, `codeOf` the compiled code of a chunk, if there is any.
 */
module.exports = function openChunks(readAsset, codeOf) {
  const modules = { "assets.cjs": { exports: { readAsset } } };
  const scripts = {};

  function load(name) {
    return (modules[name] ?? run(name)).exports;
  }

  function run(name) {
    const module = (modules[name] = { exports: {} });
    const script = new Script(`${opening}${readAsset(name).latin1Slice()}\n})`, {
      // Without a folder, because V8 keeps the name with the code.
      filename: name,
      columnOffset: -opening.length,
      cachedData: codeOf(name),
    });
    scripts[name] = script;
    const find = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, find, module, name, ".");
    return module;
  }

  return { load, scripts };
};
