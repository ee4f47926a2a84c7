// Required before the program: leaves the files and the modules of Node that it loaded in the file that ROAD names.
const fs = require("node:fs");
const { Module } = require("node:module");

const asked = new Set();
const load = Module._load;
Module._load = (request, ...others) => {
  if (request.startsWith("node:")) asked.add(request);
  return Reflect.apply(load, Module, [request, ...others]);
};

const chunks = new Set();
const { readFileSync, writeFileSync } = fs;
fs.readFileSync = (path, ...others) => {
  if (String(path).endsWith(".cjs")) chunks.add(path);
  return readFileSync(path, ...others);
};

process.on("exit", () => {
  const modules = Object.keys(require.cache).filter((path) => path !== __filename);
  const files = [...new Set([...modules, ...chunks])];
  writeFileSync(process.env.ROAD, JSON.stringify({ files, builtins: [...asked] }));
});
