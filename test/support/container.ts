/**
 * The start of a command that runs what follows as a container does: in a PID namespace of its own, under that host name. It
 * ends with the exit code of what it runs, and kills it when it is killed.
 */
export function inContainer(hostName: string): readonly [file: string, ...args: string[]] {
  const unshare = ["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];
  // The shell is process 1, for which the kernel ignores signals that it does not handle.
  return ["unshare", ...unshare, "sh", "-c", 'hostname "$0"; "$@"; exit $?', hostName];
}
