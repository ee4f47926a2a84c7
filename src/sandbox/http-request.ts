import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly host: string;
  readonly fields: IncomingHttpHeaders;
  /** Undefined if it is over 64 KiB. */
  readonly body: Uint8Array | undefined;
  /** False if the client disconnected before all of the body came. */
  readonly isWhole: boolean;
}

const maxBodyBytes = 64 * 1024;

export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const { method = "", url = "", headers, rawHeaders } = incoming;
  // A client that takes this server for a proxy sends the whole address (RFC 9112, 3.2.2).
  const [, authority, target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [undefined, headers.host ?? "", url];
  const [path = "", ...query] = target.split("?");
  return {
    method,
    path: path === "" ? "/" : path,
    query: new URLSearchParams(query.join("?")),
    target: url,
    headers: rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
    ),
    host: authority,
    fields: headers,
    ...(await readBody(incoming)),
  };
}

async function readBody(incoming: AsyncIterable<Uint8Array>): Promise<Pick<HttpRequest, "body" | "isWhole">> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  try {
    // Reads even a body that is too large: a client that is still writing would get a reset instead of the 413.
    for await (const chunk of incoming) {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    }
    isWhole = true;
  } catch {
    // The client has disconnected.
  }
  return { body: size <= maxBodyBytes ? Buffer.concat(chunks) : undefined, isWhole };
}
