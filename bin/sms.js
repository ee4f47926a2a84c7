#!/usr/bin/env node
// CommonJS, which Node starts in less time than a module.
const { main, systemHost } = require("../dist/main.cjs");

const helpPages = () => require("../dist/help.json");

// All output is flushed by then. What may be left is a connection that stalls in its handshake: nobody waits for it.
void main(process.argv.slice(2), systemHost(), helpPages).then((exitCode) => process.exit(exitCode));
