const { getRawAsset } = require("node:sea");
const start = require("../entry.cjs");

const readAsset = (path) => Buffer.from(getRawAsset(path));

/** Chunks that no trial run needed have no code here, and other systems have none. */
function codeOf(name) {
  try {
    return readAsset(`code/${name}`);
  } catch {
    return undefined;
  }
}

void start(() => require("./chunks.cjs")(readAsset, codeOf).load("main.cjs"), readAsset);
