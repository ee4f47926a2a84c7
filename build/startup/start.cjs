// The program's entry, which the build copies into dist. CommonJS, which Node starts faster than a module.
const { fstatSync, readFileSync, statSync, writeSync } = require("node:fs");

const argv = process.argv.slice(2);
const ready = readyText();
const unwritten = ready && handOver(ready);
if (unwritten !== "") run();

function run() {
  const chunks = require("./kept-code.cjs")(argv[0]);
  const { main, systemHost } = chunks.load("main.cjs");
  // All output is flushed by then, and nobody waits for a connection that stalls in its handshake.
  void main(argv, systemHost(), unwritten).then((exitCode) => {
    if (exitCode === 0) chunks.keep();
    process.exit(exitCode);
  });
}

/** The help or version text that the build rendered for this command line, if there is one. */
function readyText() {
  if (!argv.every((word) => /^(-V|[a-z-]+)$/.test(word))) return undefined;
  const name = argv
    .join(".")
    .replace(/^-V$/, "--version")
    .replace(/(^|\.)-h$/, "$1--help");
  if (!/^--version$|^help|--help$/.test(name)) return undefined;
  try {
    return readFileSync(`${__dirname}/ready/${name}`, "utf8");
  } catch {
    return undefined;
  }
}

/** Writes the text, and returns what main has to write: all help for a terminal, whose width counts, and what stdout did not take. */
function handOver(text) {
  let bytes = Buffer.from(text);
  try {
    if (text.length > 80 && mayBeTerminal()) return text;
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
  } catch {
    // main reports what is wrong with stdout, or waits until it takes more.
  }
  return bytes.toString();
}

/** Faster than `process.stdout.isTTY`, which opens a stream. */
function mayBeTerminal() {
  const output = fstatSync(1);
  return output.isCharacterDevice() && output.rdev !== statSync("/dev/null").rdev;
}
