// The entry of a standalone program: a Node that has the files of dist within itself, and the code that V8 made of them.
const { getRawAsset } = require("node:sea");
const start = require("../startup/entry.cjs");

/** Throws if there is no such file. */
const readAsset = (path) => Buffer.from(getRawAsset(path));

function openChunks(command = "") {
  const chunkLoader = require("../startup/chunks.cjs");
  return { load: chunkLoader(readAsset, keptCode(command), {}), keep() {} };
}

/** The code of each chunk that a run of the command compiled when the program was built; none for other systems. */
function keptCode(command) {
  const { decode } = require("../startup/codes.cjs");
  try {
    return decode(readAsset(`kept/${command}`));
  } catch {
    return {};
  }
}

void start(openChunks, readAsset);
