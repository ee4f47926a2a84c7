import { readFileSync } from "node:fs";

/**
 * When a process began, in clock ticks since the machine did, and whether it still runs (proc_pid_stat(5)); undefined
 * where there is no /proc to say so.
 */
export function lifeOf(pid: number): { readonly started: string; readonly runs: boolean } | undefined {
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, which may itself hold spaces and brackets.
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
