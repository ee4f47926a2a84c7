import { readFileSync, readlinkSync, statfsSync } from "node:fs";
import { hostname, platform } from "node:os";
import type { Processes } from "../host.ts";
import { parseJson, isFlag, isText, shape } from "../json.ts";
import { randomToken } from "./durable.ts";
import { isPresent } from "./presence.ts";

export interface LockOwner {
  /** A token is never used again. */
  readonly token: string;
  /** The host name is for people: containers choose theirs freely. */
  readonly machine: string;
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
  readonly namespace: string;
  /** True if only one kernel at a time can mount the lock's file system, as the owner sees it. */
  readonly isLocal: boolean;
  readonly listens: boolean;
}

function newLockOwner(folder: string, { pid }: Processes): Omit<LockOwner, "listens"> {
  return {
    token: randomToken(),
    machine: hostname(),
    pid,
    started: processStat(pid)?.started ?? "",
    boot: read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: read(() => readlinkSync("/proc/self/ns/pid")),
    isLocal: isLocal(folder),
  };
}

export function socketName(lockName: string, token: string): string {
  return `${lockName}.${token}.s`;
}

/** If another version of sms or a power cut wrote the text, this is undefined. */
export function readLockOwner(text: string): LockOwner | undefined {
  const value = parseJson(text);
  return isLockOwner(value) ? value : undefined;
}

export interface LockView {
  readonly folder: string;
  readonly lockName: string;
  readonly self: Omit<LockOwner, "listens">;
  readonly processes: Processes;
}

export function viewOf(folder: string, lockName: string, processes: Processes): LockView {
  return { folder, lockName, self: newLockOwner(folder, processes), processes };
}

export type Liveness = "alive" | "dead" | "unknown";

/** A client of a file server does not call its disk local, so of two kernels with a local disk one has stopped. */
export async function livenessOf(owner: LockOwner, { folder, lockName, self, processes }: LockView): Promise<Liveness> {
  const hasSameKernel = owner.boot === self.boot && (owner.boot !== "" || owner.machine === self.machine);
  if (!hasSameKernel && !(owner.isLocal && self.isLocal)) return "unknown";
  if (owner.listens) return (await isPresent(folder, socketName(lockName, owner.token))) ? "alive" : "dead";
  const hasSameNamespace = owner.namespace === self.namespace && (self.namespace !== "" || self.boot === "");
  if (!hasSameKernel || !hasSameNamespace) return "unknown";
  if (!processes.exists(owner.pid)) return "dead";
  const stat = processStat(owner.pid);
  if (stat === undefined || owner.started === "") return "unknown";
  // Pids are reused: only a process that started when the owner did is the owner.
  return stat.runs && stat.started === owner.started ? "alive" : "dead";
}

/** File systems that one kernel at a time can mount: ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS and ZFS (statfs(2)). */
const localTypes = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]);

function isLocal(folder: string): boolean {
  try {
    return platform() === "linux" && localTypes.has(statfsSync(folder).type >>> 0);
  } catch {
    return false;
  }
}

function read(value: () => string): string {
  try {
    return value();
  } catch {
    return "";
  }
}

const isLockOwner = shape<LockOwner>({
  token: (value) => isText(value) && /^[0-9a-f]{16}$/.test(value),
  machine: isText,
  pid: Number.isInteger,
  started: isText,
  boot: isText,
  namespace: isText,
  isLocal: isFlag,
  listens: isFlag,
});

/** The start time is in clock ticks since boot (proc_pid_stat(5)). Without /proc this is undefined. */
function processStat(pid: number): { readonly started: string; readonly runs: boolean } | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === "") return undefined;
  // The second field is the program's name in brackets, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", started = ""] = [fields[0], fields[19]];
  return { started, runs: !"ZX".includes(state) };
}
