const { closeSync, existsSync, fstatSync, statSync, writeSync } = require("node:fs");

// Without a listener, SIGUSR1 starts Node's debugger: every user of the machine can reach it, and read the key there.
process.on("SIGUSR1", () => {});

const argv = process.argv.slice(2);

module.exports = async function start(load, readAsset) {
  if (hasWrittenVersion(readAsset)) return;
  const { main, systemHost } = load();
  // All output is flushed then, and nobody waits for a connection that stalls in its handshake.
  end(await main(argv, systemHost()));
};

/** `process.exit` waits for a look-up of a name. exec does not, but Node 20 has none: there look-ups are short. */
function end(exitCode) {
  for (const fd of [0, 1, 2]) closeIfGone(fd);
  const isBusy = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isBusy && process.execve && existsSync("/bin/sh")) {
    process.execve("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  process.exit(exitCode);
}

/** The version needs no program. If stdout fails here, main says why. */
function hasWrittenVersion(readAsset) {
  if (argv.length !== 1 || !["-V", "--version"].includes(argv[0])) return false;
  try {
    writeSync(1, readAsset("version.txt"));
    return true;
  } catch {
    return false;
  }
}

/** If a terminal is gone, Node fails to restore its settings and aborts. */
function closeIfGone(fd) {
  try {
    if (mayBeTerminal(fd) && !require("node:tty").isatty(fd)) closeSync(fd);
  } catch {
    // The file is closed, or this system has no /dev/null.
  }
}

function mayBeTerminal(fd) {
  const output = fstatSync(fd);
  return output.isCharacterDevice() && output.rdev !== statSync("/dev/null").rdev;
}
