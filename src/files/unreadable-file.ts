import { type SmsError, usageError } from "../errors.ts";

export function unreadableFile(error: unknown, path: string, option: string): SmsError | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const file = JSON.stringify(path);
  const unreadable = (message: string, hint: string) => usageError("UNREADABLE_FILE", message, hint);
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return unreadable(`there is no file ${file} (${option})`, "check its name, and the folder in which sms runs");
    case "EISDIR":
      return unreadable(`${file} is a folder, not a file (${option})`, "name a file in it");
    case "EACCES":
    case "EPERM":
      return unreadable(`you may not read ${file} (${option})`, "ask its owner for permission to read it");
    default:
      return unreadable(`${file} cannot be read (${option}): ${error.message}`, "check the file and its disk");
  }
}
