import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import tls, { type TlsOptions } from "node:tls";
import { atEnd } from "./at-end.ts";

export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** By lower-case name; the values of a repeated name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly readAt: number;
}

/** What a server does with a complete request; `index` counts from 0. */
export type Script = (socket: Socket, request: ReadRequest, index: number) => void;

export interface ScriptedServerOptions {
  /** What it does with each request; stays silent by default. */
  readonly onRequest?: Script;
  /** What it does when it is asked at `/healthz` whether it is a sandbox; answers 404 by default. That is none of its requests. */
  readonly onHealth?: Script;
  /** What it does with a connection instead of reading requests, before any TLS. */
  readonly onConnection?: (socket: Socket) => void;
  /** The certificate for TLS; plain HTTP by default. */
  readonly tls?: TlsOptions;
  readonly address?: string;
}

export interface ScriptedServer {
  readonly port: number;
  readonly url: string;
  readonly connections: () => number;
  readonly requests: readonly ReadRequest[];
  readonly firstRequest: Promise<ReadRequest>;
  /** Is closed at the end of the file, or earlier by this. */
  readonly close: () => Promise<void>;
}

export async function startScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const requests: ReadRequest[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  let tellFirst: (request: ReadRequest) => void = () => {};
  const firstRequest = new Promise<ReadRequest>((resolve) => (tellFirst = resolve));

  const read = (socket: Socket): void => {
    // Tests reset connections on purpose.
    socket.on("error", () => {});
    readRequests(socket, (request) => {
      if (request.target === "/healthz") return (options.onHealth ?? notFound)(socket, request, 0);
      const index = requests.push(request) - 1;
      tellFirst(request);
      options.onRequest?.(socket, request, index);
    });
  };
  const speaker =
    options.tls &&
    tls.createServer({ ...options.tls, allowHalfOpen: true }, (socket) => {
      // Only the underlying TCP connection can be reset.
      const beneath = [...open].find(({ remotePort }) => remotePort === socket.remotePort);
      read(Object.assign(socket, { resetAndDestroy: () => beneath?.resetAndDestroy() ?? socket }));
    });
  speaker?.on("tlsClientError", () => {});
  const listener = net.createServer({ allowHalfOpen: true }, (socket) => {
    connections++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    if (options.onConnection !== undefined) options.onConnection(socket);
    else if (speaker !== undefined) speaker.emit("connection", socket);
    else read(socket);
  });
  const { address = "127.0.0.1" } = options;
  listener.listen(0, address);
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    if (!listener.listening) return;
    listener.close();
    await once(listener, "close");
  };
  atEnd(close);
  return {
    port,
    url: `${options.tls === undefined ? "http" : "https"}://${address}:${port}`,
    connections: () => connections,
    requests,
    firstRequest,
    close,
  };
}

function readRequests(socket: Socket, onWhole: (request: ReadRequest) => void): void {
  let unread = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let taken = takeRequest(unread); taken !== undefined; taken = takeRequest(unread)) {
      unread = unread.subarray(taken.length);
      onWhole(taken.request);
    }
  });
  // A client that ends its side still gets its answer.
  socket.on("end", () => socket.end());
}

/** The first complete request in these bytes (by content-length), and its length. */
function takeRequest(bytes: Buffer): { request: ReadRequest; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [requestLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [method = "", target = "", httpVersion = ""] = requestLine.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const length = headEnd + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.toString("utf8", headEnd + 4, length);
  return { request: { method, target, httpVersion, headers, body, readAt: Date.now() }, length };
}

function notFound(socket: Socket): void {
  socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}
