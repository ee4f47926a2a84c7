import { closeSync, readFileSync } from "node:fs";

/** Adds the path to the system's error of a call that knows only a descriptor, as Node writes it for other calls. */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error)) {
    error.message += ` '${path}'`;
    return Object.assign(error, { path });
  }
  return error;
}

/** Returns the text of a file. Read as bytes: Node aborts the process if it cannot close a file that it read as text. */
export function readText(path: string): string {
  try {
    return readFileSync(path).toString();
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Does work with an open file and closes it. Throws the error of the work before the error of closing; both name the file. */
export function useFile<T>(file: number, path: string, work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    closeQuietly(file);
    throw withPath(error, path);
  }
  try {
    closeSync(file);
  } catch (error) {
    throw withPath(error, path);
  }
  return result;
}

/** Closes a file that was only read, or whose failure is already known. */
export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // What was read stays read.
  }
}
