import { createReadStream } from "node:fs";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Source } from "./row.ts";

/** The file at a path, or standard input for `-`. Reading throws a usage error `UNREADABLE_FILE`. */
export function openSource(path: string, { stdin }: Pick<Host, "stdin">): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  return { name: path, chunks: readFile(path) };
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw usageError("UNREADABLE_FILE", `cannot read the recipients: ${error.message}`);
  }
}
