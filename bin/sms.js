#!/usr/bin/env node
// CommonJS, which Node starts in less time than a module.
const { fstatSync, readFileSync, statSync, writeSync } = require("node:fs");

const argv = process.argv.slice(2);
const ready = readyText();
const left = ready && handOver(ready);
if (left !== "") run();

/** `left` is what main has still to print of what was ready. */
function run() {
  const chunks = require("./chunks.js")(argv[0]);
  const { main, systemHost } = chunks.load("main.cjs");
  // All output is flushed by then. What may be left is a connection that stalls in its handshake: nobody waits for it.
  void main(argv, systemHost(), left).then((exitCode) => {
    if (exitCode === 0) chunks.keep();
    process.exit(exitCode);
  });
}

/** What the build has found us to print for this command line, where it asks for help or for the version. */
function readyText() {
  if (!argv.every((word) => /^(-V|[a-z-]+)$/.test(word))) return undefined;
  const name = argv
    .join(".")
    .replace(/^-V$/, "--version")
    .replace(/(^|\.)-h$/, "$1--help");
  if (!/^--version$|^help|--help$/.test(name)) return undefined;
  try {
    return readFileSync(`${__dirname}/../dist/ready/${name}`, "utf8");
  } catch {
    return undefined;
  }
}

/** Gives what is left: of help all where there may be a terminal, for its width; all as well where stdout takes nothing. */
function handOver(text) {
  let bytes = Buffer.from(text);
  try {
    if (text.length > 80 && mayBeTerminal()) return text;
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
  } catch {
    // main says what is wrong with it, or waits.
  }
  return bytes.toString();
}

/** Cheaper than to ask Node, which opens it as a stream. */
function mayBeTerminal() {
  const output = fstatSync(1);
  return output.isCharacterDevice() && output.rdev !== statSync("/dev/null").rdev;
}
