const { readFileSync } = require("node:fs");

exports.readAsset = (path) => readFileSync(`${__dirname}/${path}`);
