import { createReadStream } from "node:fs";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Source } from "./row.ts";

/** The source at a path, or standard input for `-`. Reading it throws a usage error where the file cannot be read. */
export function openSource(path: string, { stdin }: Pick<Host, "stdin">): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  return { name: path, chunks: readFile(path) };
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw usageError("UNREADABLE_FILE", `the recipients cannot be read: ${error.message}`);
  }
}
