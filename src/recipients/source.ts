import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Source } from "./row.ts";

/** The file at a path, or standard input for `-`. Reading throws a usage error `UNREADABLE_FILE`. */
export function openSource(path: string, { stdin, readFile }: Pick<Host, "stdin" | "readFile">): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  return { name: path, chunks: readable(readFile(path)) };
}

async function* readable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw usageError("UNREADABLE_FILE", `cannot read the recipients: ${error.message}`);
  }
}
