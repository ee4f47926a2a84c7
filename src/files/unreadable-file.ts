import { dirname, parse } from "node:path";
import { type SmsError, usageError } from "../errors.ts";
import { nearest } from "../words/nearest.ts";
import { namesIn } from "./file-system.ts";

export function unreadableFile(error: unknown, path: string, option: string): SmsError | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  const file = JSON.stringify(path);
  const unreadable = (message: string, hint: string) => usageError("UNREADABLE_FILE", message, hint);
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return unreadable(`there is no file ${file} (${option})`, nearFileHint(path));
    case "EISDIR":
      return unreadable(`${file} is a folder, not a file (${option})`, "name a file in it");
    case "EACCES":
    case "EPERM":
      return unreadable(`you may not read ${file} (${option})`, "ask its owner for permission to read it");
    default:
      return unreadable(`${file} cannot be read (${option}): ${error.message}`, "check the file and its disk");
  }
}

function nearFileHint(path: string): string {
  const usual = "check its name, and the folder in which sms runs";
  try {
    // Lists share their ending.
    const stems = new Map(namesIn(dirname(path)).map((name) => [parse(name).name, name]));
    const near = nearest(parse(path).name, stems.keys());
    return near === undefined ? usual : `did you mean ${stems.get(near)}? It is in the same folder`;
  } catch {
    return usual;
  }
}
