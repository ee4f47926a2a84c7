import { closeSync, readdirSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { usageError } from "../errors.ts";
import { dirname } from "node:path";

export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && "syscall" in error && !("path" in error)) {
    error.message += ` '${path}'`;
    return Object.assign(error, { path });
  }
  return error;
}

/** Throws the error of the work before the error of closing; both name the file. */
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

export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // What was read stays read.
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

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

/** If there are more than `limit` bytes, this throws a usage error `TOO_LONG` that has `name`. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, name: string, limit: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit)
      throw usageError("TOO_LONG", `${name} has over ${limit} bytes`, "check that it is the right file");
    read.push(chunk);
  }
  return Buffer.concat(read);
}

export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    useFile(file, folder, () => fsyncSync(file));
  } catch (error) {
    // Windows cannot open folders; some network file systems cannot flush them.
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(errorCode(error))) throw error;
  }
}

/** Node's `recursive` loops forever on /proc or an unmounted home. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  syncFolder(dirname(path));
}
