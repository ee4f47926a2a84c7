// The files of dist that are no code. A standalone program has its own reader in build/binary/entry.cjs.
const { readFileSync } = require("node:fs");

exports.readAsset = (path) => readFileSync(`${__dirname}/${path}`);
