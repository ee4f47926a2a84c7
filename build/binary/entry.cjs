// The entry of a standalone program: a Node that has the files of dist within itself, and the code that V8 made of them.
const { getRawAsset } = require("node:sea");
const start = require("../entry.cjs");

/** Throws if there is no such file. */
const readAsset = (path) => Buffer.from(getRawAsset(path));

/** There is none for chunks that no trial run needed, and for other systems. */
function codeOf(name) {
  try {
    return readAsset(`code/${name}`);
  } catch {
    return undefined;
  }
}

void start(() => require("./chunks.cjs")(readAsset, codeOf).load("main.cjs"), readAsset);
