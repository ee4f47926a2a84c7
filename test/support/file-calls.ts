import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Ended, runSms } from "./sms.ts";

/** A system call on a file, by which strace finds it again in the same command. */
export interface FileCall {
  readonly name: string;
  readonly path: string;
  /** What strace counts: the calls of that name by a thread, of all files or only of those at `path`. */
  readonly counted: "all" | "path";
  readonly number: number;
}

const names =
  "write pwrite64 writev fsync fdatasync rename renameat renameat2 open openat link linkat unlink unlinkat mkdir mkdirat rmdir read pread64 stat lstat statx fstat newfstatat ftruncate chmod fchmod fchmodat getdents64 access faccessat readlink statfs close"
    .split(" ")
    .map((name) => `?${name}`)
    .join(",");

export interface TracedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

function trace({ args, env, log }: TracedCommand, options: readonly string[]): Promise<Ended> {
  const strace = ["strace", "-f", "--seccomp-bpf", "-y", "-qq", "-o", log, "-e", `trace=${names}`, ...options];
  // One thread for all files, so that each call has the same number again.
  return runSms(args, { env: { UV_THREADPOOL_SIZE: "1", ...env }, through: strace, boundMs: 30_000 });
}

export async function fileCalls(command: TracedCommand, folder: string): Promise<readonly FileCall[]> {
  await trace(command, []);
  const counts = new Map<string, number>();
  const count = (key: string) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };
  // Another thread's call of that number fails together with the first one.
  const calls = new Map<string, FileCall>();
  for (const line of readFileSync(command.log, "utf8").split("\n")) {
    const [, thread = "", name = "", words = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const all = count(`${thread} ${name}`);
    const [, below] = new RegExp(`/${basename(folder)}((?:/[^>"]*)?)[>"]`).exec(words) ?? [];
    if (below === undefined) continue;
    const path = folder + below;
    const ofPath = count(`${thread} ${name} ${path}`);
    const isStable = !/[0-9a-f]{16}|\d{8}-\d{6}/.test(path);
    const call: FileCall = { name, path, counted: isStable ? "path" : "all", number: isStable ? ofPath : all };
    calls.set(JSON.stringify(call), call);
  }
  return [...calls.values()];
}

export async function failing(
  command: TracedCommand,
  { name, path, counted, number }: FileCall,
  error = "EIO",
): Promise<Ended & { readonly failed: readonly string[] }> {
  const only = counted === "path" ? ["-P", path] : [];
  const ended = await trace(command, [...only, "-e", `inject=${name}:error=${error}:when=${number}`]);
  const log = readFileSync(command.log, "utf8");
  return { ...ended, failed: log.split("\n").filter((line) => line.includes("(INJECTED)")) };
}
