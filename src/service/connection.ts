import type { LookupFunction } from "node:net";
import type { Client } from "undici";
import type { Exchange } from "./exchange.ts";
import type { WireRequest } from "./request.ts";
import { lookUp } from "./lookup.ts";
import { clientOptions, type StartedExchange, startExchange } from "./transport.ts";

/** Above this rate connections are reused. Well over the fastest published tier. Requests a minute. */
const fastestWithoutReuse = 15_000;

/**
 * Whether a run at this configured rate, in requests a minute, reuses its connections. Without reuse an answer can only
 * belong to the one request of its connection. With reuse a service that closes an open connection, or answers twice, can
 * leave a message uncertain, and a surplus 429 can be taken for the next message's own.
 */
export function reusesConnections(perMinute: number): boolean {
  return perMinute > fastestWithoutReuse;
}

/** Sends one request at a time to the service. */
export interface Connection {
  /** Starts one attempt at one request, as `startExchange` does. Call it once the exchange before has ended. */
  readonly start: (request: WireRequest, onEnd: (exchange: Exchange) => void) => StartedExchange;
  /** Closes an open connection; the next request opens a new one. */
  readonly drop: () => void;
}

/** Makes connections to one service. */
export interface Connections {
  /** Whether a connection carries several requests, one right after the other. */
  readonly isReused: boolean;
  readonly make: () => Connection;
}

/**
 * Connections to `origin` over HTTP/1.1, through a tunnel if there is a proxy. All share one connector, so that TLS sessions
 * are resumed. A reused connection never idles: a caller that has nothing to send at once drops it.
 */
export async function openConnections(origin: string, proxy: URL | undefined, isReused: boolean): Promise<Connections> {
  const { buildConnector, Client } = await import("undici");
  // With 0 undici asks the service to close the connection after the answer, and closes it itself.
  const options = { ...(await clientOptions(buildConnector, proxy, sharedLookup())), pipelining: isReused ? 1 : 0 };
  const make = (): Connection => {
    let client: Client | undefined;
    const drop = () => {
      if (client !== undefined) close(client);
      client = undefined;
    };
    return {
      start: (request, onEnd) =>
        startExchange((client ??= new Client(origin, options)), request, (exchange) => {
          if (exchange.kind !== "answered") drop();
          onEnd(exchange);
        }),
      // Without reuse nothing is open between two requests.
      drop: isReused ? drop : () => {},
    };
  };
  return { isReused, make };
}

/** Looks a name up once for all who wait for it: each look-up takes a thread, which nothing interrupts. */
function sharedLookup(): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] = [];
  return (name, options, callback) => {
    if (waiting.push(callback) > 1) return;
    lookUp(name, options, (...found) => {
      const callbacks = waiting;
      waiting = [];
      for (const each of callbacks) each(...found);
    });
  };
}

/** Destroys the client after the current callback, since undici still uses it until the callback of an answer returns. */
function close(client: Client): void {
  queueMicrotask(() => void client.destroy());
}
