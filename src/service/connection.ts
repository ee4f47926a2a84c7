import type { LookupFunction, Socket } from "node:net";
import type { buildConnector, Client, Dispatcher } from "undici";
import { isNode20 } from "../host.ts";
import { type WireEvent, type Exchange, type StartedExchange, startExchange } from "./exchange.ts";
import type { WireRequest } from "./request.ts";

const largestHead = 16 * 1024;

type Connector = buildConnector.connector;

const connectTimeoutMs = 10_000;

export async function openDispatcher(origin: string, proxy: URL | undefined): Promise<Dispatcher> {
  const makeClient = await prepareClients(origin, proxy, withLazyParser);
  return makeClient();
}

/** Loads the modules of a later request: an upgrade may replace the files of this program while it runs. */
export async function loadClient(origin: string, proxy: URL | undefined): Promise<void> {
  await (await openDispatcher(origin, proxy)).destroy();
}

export type StartRequest = (request: WireRequest, onEnd: (exchange: Exchange) => void) => StartedExchange;

/** Each request has a connection of its own, so that no answer belongs to another request. TLS sessions are resumed. */
export async function openConnections(origin: string, proxy: URL | undefined): Promise<StartRequest> {
  const makeClient = await prepareClients(origin, proxy);
  return (request, onEnd) => {
    const client = makeClient();
    return startExchange(client, request, (exchange) => {
      // undici uses the client until the callback of an answer returns.
      queueMicrotask(() => void client.destroy());
      onEnd(exchange);
    });
  };
}

export function logRequests(startRequest: StartRequest, newLog: () => (event: WireEvent) => void): StartRequest {
  return (request, onEnd) => {
    const log = newLog();
    log({ kind: "request", request });
    return startRequest(request, (exchange) => {
      log({ kind: "exchange", exchange });
      onEnd(exchange);
    });
  };
}

async function prepareClients(
  origin: string,
  proxy: URL | undefined,
  wrap: (connect: Connector) => Connector | Promise<Connector> = (connect) => connect,
): Promise<() => Client> {
  const { buildConnector, Client } = await import("undici");
  const lookUpOnce = shareLookups();
  const direct = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    // Our deadline ends before TCP would probe, and Wine cannot set this before it connects.
    keepAlive: false,
    lookup: lookUpOnce,
  });
  const tunnel =
    proxy === undefined
      ? direct
      : await (await import("./tunnel.ts")).tunnelThrough(proxy, direct, connectTimeoutMs, lookUpOnce);
  const connect = await wrap(withoutContinue(tunnel));
  // The deadline of the exchange covers all that undici's timeouts cover.
  const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };
  // With `pipelining: 0`, undici closes the connection after the answer.
  const options = { allowH2: false, maxHeaderSize: largestHead, ...noTimeouts, connect, pipelining: 0 };
  return () => new Client(origin, options);
}

/**
 * The same connector, which on Node 20 has V8 compile undici's WebAssembly parser without its optimising compiler, and
 * only what an answer needs of it: otherwise a send waits 60 to 120 ms for that compiler as it exits. The flags are set
 * only while a connection is open, since V8 accepts no cached code while they differ. Newer Nodes need none of it: delete
 * this function with the support of Node 20, whose end of life was on 30 April 2026.
 */
async function withLazyParser(connect: Connector): Promise<Connector> {
  if (!isNode20()) return connect;
  const { setFlagsFromString } = await import("node:v8");
  const setLazy = (isLazy: boolean) => {
    setFlagsFromString(isLazy ? "--no-wasm-dynamic-tiering" : "--wasm-dynamic-tiering");
    setFlagsFromString(isLazy ? "--no-wasm-tier-up" : "--wasm-tier-up");
    setFlagsFromString(isLazy ? "--wasm-lazy-validation" : "--no-wasm-lazy-validation");
  };
  return withSockets(connect, (socket) => {
    setLazy(true);
    socket.once("close", () => setLazy(false));
  });
}

function withSockets(connect: Connector, prepare: (socket: Socket) => void): Connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) prepare(socket);
      callback(...result);
    });
}

/** localhost is this machine for every name server (RFC 6761, 6.3): a live key may go there unencrypted. */
export const lookUp: LookupFunction = (name, options, callback) => {
  if (name.toLowerCase() !== "localhost") {
    // A sandbox has an address, which needs no look-up.
    void import("node:dns").then(({ lookup }) => lookup(name, options, callback));
    return;
  }
  const all = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ].filter(({ family }) => !options.family || options.family === family || options.family === `IPv${family}`);
  const [first] = all;
  queueMicrotask(() =>
    options.all ? callback(null, all) : callback(null, first?.address ?? "127.0.0.1", first?.family),
  );
};

/** Each look-up takes a thread that nothing interrupts, so that all requests share one. */
function shareLookups(): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] = [];
  return (name, options, callback) => {
    if (waiting.push(callback) > 1) return;
    lookUp(name, options, (...result) => {
      const callbacks = waiting;
      waiting = [];
      for (const each of callbacks) each(...result);
    });
  };
}

const largestInterim = 16 * 1024;

/** RFC 9110, 15.2, has a client read past a `100 Continue`; undici would break the connection off. */
export function withoutContinue(connect: Connector): Connector {
  return withSockets(connect, leaveOutContinue);
}

function leaveOutContinue(socket: { push: (chunk: Buffer | null) => boolean }): void {
  const push = socket.push.bind(socket);
  let bytes: Buffer = Buffer.alloc(0);
  const passOn = (end?: null): boolean => {
    socket.push = push;
    const isRoom = bytes.length === 0 || push(bytes);
    return end === null ? push(null) : isRoom;
  };
  socket.push = (chunk) => {
    if (chunk === null) return passOn(null);
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      if (!isStartOfContinue(bytes)) return passOn();
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return bytes.length < largestInterim || passOn();
      bytes = bytes.subarray(end + 4);
    }
  };
}

function isStartOfContinue(bytes: Buffer): boolean {
  const text = bytes.toString("latin1", 0, 13);
  return text.length < 13 ? "HTTP/1.1 100".startsWith(text) : /^HTTP\/1\.1 100[ \r]/.test(text);
}
