import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Source } from "./row.ts";

/** The file at a path, or standard input for `-`. Reading throws a usage error `UNREADABLE_FILE` that says what the file is. */
export function openSource(
  path: string,
  { stdin, readFile }: Pick<Host, "stdin" | "readFile">,
  what = "the recipients",
): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  return { name: path, chunks: readable(readFile(path), what) };
}

async function* readable(chunks: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw usageError("UNREADABLE_FILE", `cannot read ${what}: ${error.message}`);
  }
}
