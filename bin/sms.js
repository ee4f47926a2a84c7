#!/usr/bin/env node
// CommonJS, which Node starts in less time than a module.
const { existsSync, readFileSync } = require("node:fs");
const { main, systemHost } = require("../dist/main.cjs");

function helpPage(name) {
  const path = `${__dirname}/../dist/help/${name}`;
  return /^[a-z.-]+$/.test(name) && existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

// All output is flushed by then. What may be left is a connection that stalls in its handshake: nobody waits for it.
void main(process.argv.slice(2), systemHost(), helpPage).then((exitCode) => process.exit(exitCode));
