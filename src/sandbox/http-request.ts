import type { IncomingMessage } from "node:http";

/** What the sandbox reads of a request, as a plain value. */
export interface HttpRequest {
  readonly method: string;
  /** The path as it was sent, without the query and not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly host: string;
  /** The page that a browser asks for; empty elsewhere. */
  readonly origin: string;
  /** The IP address that it comes from. */
  readonly address: string;
  readonly authorization: string;
  readonly contentType: string;
  /** Absent where it is larger than the sandbox takes. */
  readonly body: Uint8Array | undefined;
}

const maxBodyBytes = 64 * 1024;

/** Reads a request to its end; rejects where the client leaves before. */
export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const { method = "", url = "", headers, socket } = incoming;
  const [path = "", ...query] = url.split("?");
  return {
    method,
    path,
    query: new URLSearchParams(query.join("?")),
    host: headers.host ?? "",
    origin: headers.origin ?? "",
    address: socket.remoteAddress ?? "",
    authorization: headers.authorization ?? "",
    contentType: headers["content-type"] ?? "",
    body: await readBody(incoming),
  };
}

async function readBody(incoming: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Too large a body is read to its end all the same: a client that is still writing would see a reset, not the 413.
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}
