import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "rolldown";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folders.ts";

/** A child process that talks in lines. */
export interface Child {
  readonly pid: number;
  readonly say: (line: string) => void;
  /** The next line; undefined after its end. */
  readonly hear: () => Promise<string | undefined>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<number | null>;
}

const bundles = new Map<string, Promise<string>>();

/** Bundles a TypeScript entry, once for all files of a worker, and returns the path of the script. */
export function bundle(entry: string): Promise<string> {
  const made = bundles.get(entry) ?? bundleAnew(entry);
  bundles.set(entry, made);
  return made;
}

async function bundleAnew(entry: string): Promise<string> {
  const dir = temporaryFolder();
  await build({
    input: entry,
    platform: "node",
    logLevel: "silent",
    transform: { target: "node20" },
    output: { dir, format: "esm", entryFileNames: "[name].mjs" },
  });
  return join(dir, basename(entry).replace(/\.ts$/, ".mjs"));
}

/** Limits files to 4 kB at most: one write is partial, the next fails with EFBIG. */
export const onFullDisk = ["-c", `trap "" XFSZ; ulimit -f 4; exec "$0" "$@"`, process.execPath];

/** Starts a command; it is killed at the end of the test. */
export function start(command: string, ...args: readonly string[]): Child {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  // Some tests kill it while we write.
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = end(child);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    say: (line) => child.stdin.write(`${line}\n`),
    hear: async () => {
      const { value, done } = await lines.next();
      return done === true ? undefined : value;
    },
    kill: (signal) => child.kill(signal),
    ended,
  };
}

async function end(child: ChildProcess): Promise<number | null> {
  await once(child, "exit");
  return child.exitCode;
}
