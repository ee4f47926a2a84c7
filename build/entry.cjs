// What the program does first, whether its files are beside it or within it.
const { closeSync, existsSync, fstatSync, statSync, writeSync } = require("node:fs");

// Without a listener, SIGUSR1 starts Node's debugger: every user of the machine can reach it, and read the key there.
process.on("SIGUSR1", () => {});

const argv = process.argv.slice(2);

/** Runs the command line. `load` returns what src/main.ts exports, `readAsset` reads the program's other files. */
module.exports = async function start(load, readAsset) {
  const ready = readyText(readAsset);
  const unwritten = ready && handOver(ready);
  if (unwritten === "") return;
  const { main, systemHost } = load();
  // All output is flushed then, and nobody waits for a connection that stalls in its handshake.
  end(await main(argv, systemHost(), unwritten));
};

/**
 * Ends the process. `process.exit` waits for a look-up of a name, which nothing interrupts. exec does not wait, but Node 20 has
 * none: there look-ups are short, and from here on a signal ends the process by itself.
 */
function end(exitCode) {
  for (const fd of [0, 1, 2]) closeIfGone(fd);
  const isBusy = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isBusy && process.execve && existsSync("/bin/sh")) {
    process.execve("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  process.exit(exitCode);
}

/** The help or version text that the build rendered for this command line, if there is one. */
function readyText(readAsset) {
  if (!argv.every((word) => /^(-V|[a-z-]+)$/.test(word))) return undefined;
  const name = argv.join(".").replace(/^-V$/, "--version");
  if (!/^--version$|^help|-h$|--help$/.test(name)) return undefined;
  // For the same text under other words there is only the one of --help.
  const same = name.replace(/^help(?:\.(.*))?$/, (_, command) => (command ? `${command}.--help` : "--help"));
  for (const text of [name, same.replace(/(^|\.)-h$/, "$1--help")]) {
    try {
      return readAsset(`ready/${text}`).toString();
    } catch {
      // It is not ready.
    }
  }
  return undefined;
}

/** Writes the text, and returns what main has to write: all help for a terminal, whose width counts, and what stdout did not take. */
function handOver(text) {
  let bytes = Buffer.from(text);
  try {
    if (text.length > 80 && mayBeTerminal(1)) return text;
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
  } catch {
    // main reports what is wrong with stdout, or waits until it takes more.
  }
  return bytes.toString();
}

/** Closes a terminal that is gone, whose settings Node would restore: it aborts if it cannot. */
function closeIfGone(fd) {
  try {
    if (mayBeTerminal(fd) && !require("node:tty").isatty(fd)) closeSync(fd);
  } catch {
    // It is closed, or this system has no /dev/null.
  }
}

/** Faster than `process.stdout.isTTY`, which opens a stream. */
function mayBeTerminal(fd) {
  const output = fstatSync(fd);
  return output.isCharacterDevice() && output.rdev !== statSync("/dev/null").rdev;
}
