const { Script } = require("node:vm");

const opening = "(function (exports, require, module, __filename, __dirname) {";

module.exports = function openChunks(readAsset, codeOf) {
  const modules = { "assets.cjs": { exports: { readAsset } } };
  const scripts = {};

  function load(name) {
    return (modules[name] ?? run(name)).exports;
  }

  function run(name) {
    const module = (modules[name] = { exports: {} });
    const script = new Script(`${opening}${readAsset(name).latin1Slice()}\n})`, {
      // V8 keeps the name with the code, so the name has no folder.
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
