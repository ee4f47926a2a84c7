// Required before the program: leaves the files and the modules of Node that it loaded in the file that ROAD names.
const { writeFileSync } = require("node:fs");
const { Module } = require("node:module");

const asked = new Set();
const load = Module._load;
Module._load = (request, ...others) => {
  if (request.startsWith("node:")) asked.add(request);
  return Reflect.apply(load, Module, [request, ...others]);
};

process.on("exit", () => {
  const files = Object.keys(require.cache).filter((path) => path !== __filename);
  writeFileSync(process.env.ROAD, JSON.stringify({ files, builtins: [...asked] }));
});
