// The program's entry, which the build copies into dist. CommonJS, which Node starts faster than a module.
const { readAsset } = require("./assets.cjs");
const start = require("./entry.cjs");

// Help needs no chunks.
void start((command) => require("./kept-code.cjs")(command), readAsset);
