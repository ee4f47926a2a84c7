import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { program } from "./sms.ts";

/** A system call on a file, by which strace finds it again in the same command. */
export interface FileCall {
  readonly name: string;
  readonly path: string;
  /** What strace counts: the calls of that name by a thread, of all files or only of those at `path`. */
  readonly counted: "all" | "path";
  readonly number: number;
}

/** How the program ended under strace, and the calls that failed because strace wanted it. */
export interface TracedEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: readonly string[];
}

const names =
  "write pwrite64 writev fsync fdatasync rename renameat renameat2 open openat link linkat unlink unlinkat mkdir mkdirat rmdir read pread64 stat lstat statx fstat newfstatat ftruncate chmod fchmod fchmodat getdents64 access faccessat readlink statfs close"
    .split(" ")
    .map((name) => `?${name}`)
    .join(",");

export interface TracedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file of strace's log. */
  readonly log: string;
}

async function trace(
  { args, env, log }: TracedCommand,
  options: readonly string[],
): Promise<Omit<TracedEnd, "failed">> {
  const words = [
    "-f",
    "--seccomp-bpf",
    "-y",
    "-qq",
    "-o",
    log,
    "-e",
    `trace=${names}`,
    ...options,
    ...program,
    ...args,
  ];
  // One thread for all files, so that each call has the same number again.
  const child = spawn("strace", words, { env: { PATH: process.env["PATH"], UV_THREADPOOL_SIZE: "1", ...env } });
  child.stdin.end();
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const bound = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(bound);
  return { code, stdout, stderr };
}

/** Runs a command and returns its calls on files below a folder. */
export async function fileCalls(
  command: TracedCommand,
  folder: string,
): Promise<TracedEnd & { readonly calls: readonly FileCall[] }> {
  const ended = await trace(command, []);
  const counts = new Map<string, number>();
  const count = (key: string) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };
  let main: string | undefined;
  const calls: FileCall[] = [];
  const seen = new Set<string>();
  for (const line of readFileSync(command.log, "utf8").split("\n")) {
    const [, thread = "", name = "", words = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (name === "") continue;
    main ??= thread;
    const [, below] = new RegExp(`/${basename(folder)}((?:/[^>"]*)?)[>"]`).exec(words) ?? [];
    const path = below === undefined ? undefined : folder + below;
    const all = count(`${thread} ${name}`);
    if (path === undefined) continue;
    const ofPath = count(`${thread} ${name} ${path}`);
    const isStable = !/[0-9a-f]{16}|\d{8}-\d{6}/.test(path);
    const call: FileCall = { name, path, counted: isStable ? "path" : "all", number: isStable ? ofPath : all };
    // Another thread's call of that number fails together with this one.
    const key = JSON.stringify(call);
    if (!seen.has(key)) calls.push(call);
    seen.add(key);
  }
  return { ...ended, failed: [], calls };
}

/** Runs a command in which one call fails. */
export async function failing(
  command: TracedCommand,
  { name, path, counted, number }: FileCall,
  error: string,
): Promise<TracedEnd> {
  const only = counted === "path" ? ["-P", path] : [];
  const ended = await trace(command, [...only, "-e", `inject=${name}:error=${error}:when=${number}`]);
  const log = readFileSync(command.log, "utf8");
  return { ...ended, failed: log.split("\n").filter((line) => line.includes("(INJECTED)")) };
}
