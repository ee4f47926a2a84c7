import { readFileSync } from "node:fs";

/** A process's start time in clock ticks since boot and whether it runs (proc_pid_stat(5)); undefined without /proc. */
export function processStat(pid: number): { readonly started: string; readonly runs: boolean } | undefined {
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The second field is the program name in brackets; it may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", started = ""] = [fields[0], fields[19]];
  return { started, runs: !"ZX".includes(state) };
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
}
