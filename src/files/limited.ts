import { usageError } from "../errors.ts";

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
