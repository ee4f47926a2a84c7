/** Returns what the system's error for a file means, or undefined for another error. `option` is what named the file. */
export function unreadableFile(
  error: unknown,
  path: string,
  option: string,
): { readonly message: string; readonly hint: string } | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const file = JSON.stringify(path);
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return {
        message: `there is no file ${file} (${option})`,
        hint: "check its name, and the folder in which sms runs",
      };
    case "EISDIR":
      return { message: `${file} is a folder, not a file (${option})`, hint: "name a file in it" };
    case "EACCES":
    case "EPERM":
      return { message: `you may not read ${file} (${option})`, hint: "ask its owner for permission to read it" };
    default:
      return { message: `${file} cannot be read (${option}): ${error.message}`, hint: "check the file and its disk" };
  }
}
