import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import module from "node:module";
import { delimiter, join } from "node:path";
import { isStandalone } from "./sms.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test is skipped, for the summary of the suite. */
    missing?: string;
  }
}

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The Chromium on the PATH; undefined where there is none. */
export const browserPath: string | undefined = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => browsers.map((name) => join(folder, name)))
  .find(isProgram);

/**
 * The folder of the programs of a PostgreSQL server, which Debian keeps off the PATH, or that POSTGRES_BIN names, for a test of
 * another version; undefined where there is none.
 */
export const postgresBinaries: string | undefined = [
  ...(process.env["POSTGRES_BIN"] === undefined ? [] : [process.env["POSTGRES_BIN"]]),
  ...(existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql").toSorted().toReversed() : []).map(
    (version) => `/usr/lib/postgresql/${version}/bin`,
  ),
  ...(process.env["PATH"] ?? "").split(delimiter),
].find((folder) => isProgram(join(folder, "initdb")) && isProgram(join(folder, "postgres")));

/** What some tests need and not every machine has. */
const checks = {
  Chromium: () => browserPath !== undefined,
  // What takes long, and what a newcomer's change hardly breaks.
  "CI to be set": () => Boolean(process.env["CI"]),
  PostgreSQL: () => postgresBinaries !== undefined,
  strace: () => runs("strace", "-o", "/dev/null", "true"),
  script: () => runs("script", "--version"),
  curl: () => runs("curl", "--version"),
  webhook: () => runs("webhook", "-version"),
  jq: () => runs("jq", "--version"),
  bash: () => runs("bash", "--version"),
  sha256sum: () => runs("sha256sum", "--version"),
  zsh: () => runs("zsh", "--version"),
  fish: () => runs("fish", "--version"),
  "/dev/full": () => existsSync("/dev/full"),
  "/proc": () => existsSync("/proc/self/stat"),
  "POSIX shell": () => process.platform !== "win32",
  "user ids": () => process.getuid !== undefined,
  setpriv: () => runs("setpriv", "--version"),
  "PID namespaces": () => runs("unshare", "--uts", "--pid", "--fork", "--mount-proc", "true"),
  "a normal user": () => ![undefined, 0].includes(process.getuid?.()),
  "network namespaces": () => process.getuid?.() === 0 && runs("unshare", "--net", "ip", "link"),
  "mount namespaces": () => runs("unshare", "--mount", "true"),
  root: () => process.getuid?.() === 0,
  "a standalone program": () => isStandalone,
  "the npm package": () => !isStandalone,
  "Node's compile cache": () => "enableCompileCache" in module,
} as const;

/** Options of a test or a suite that skip it, with the reason, on a machine that lacks one of these. */
export function needs(...things: readonly (keyof typeof checks)[]): {
  readonly skip: boolean;
  readonly meta: { missing?: string };
} {
  const missing = things.filter((thing) => !checks[thing]());
  const skip = missing.length > 0;
  return { skip, meta: skip ? { missing: `needs ${missing.join(" and ")}` } : {} };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runs(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
