import { closeSync, readdirSync } from "node:fs";
import { usageError } from "../errors.ts";

/** Adds the path to the system's error of a call that knows only a descriptor, as Node writes it for other calls. */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error)) {
    error.message += ` '${path}'`;
    return Object.assign(error, { path });
  }
  return error;
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

/** The `code` of a system error, such as `ENOENT`, else the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Does work with a file; undefined if it fails because there is no such file. `absent` has the codes that say so. */
export function ifThere<T>(work: () => T, absent: readonly string[] = ["ENOENT", "ENOTDIR"]): T | undefined {
  try {
    return work();
  } catch (error) {
    if (absent.includes(errorCode(error))) return undefined;
    throw error;
  }
}

export function namesIn(folder: string): readonly string[] {
  return ifThere(() => readdirSync(folder), ["ENOENT"]) ?? [];
}

/** Returns all bytes of a stream. Throws a usage error `TOO_LONG` for more than `limit` bytes; `name` is for it. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, name: string, limit: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) {
      throw usageError("TOO_LONG", `${name} has over ${limit} bytes`, "check that it is the right file");
    }
    read.push(chunk);
  }
  return Buffer.concat(read);
}
