import type { Client } from "undici";
import type { Exchange } from "./exchange.ts";
import type { WireRequest } from "./request.ts";
import { clientOptions, type StartedExchange, startExchange } from "./transport.ts";

/**
 * One connection at a time to the service, opened when it is first needed. It carries a request right after the answer to
 * the one before; whoever has nothing more to send at that moment, or doubts what was answered, drops it.
 */
export interface Connection {
  /** Starts one attempt at one request, as `startExchange` does: within the `onEnd` of the one before, or after a drop. */
  readonly start: (request: WireRequest, onEnd: (exchange: Exchange) => void) => StartedExchange;
  /** Closes what is open; the next request opens a new one. */
  readonly drop: () => void;
}

/**
 * Makes connections to `origin`: HTTP/1.1, no pipelining, through a tunnel where there is a proxy. An idle connection
 * may be closed by the service just as a request goes out on it, which leaves that message uncertain; and a late answer
 * would meet the wrong request. So nothing is kept for later; and no connection is used again until the service was seen to
 * keep one open after its answer, nor any more once it broke one that was.
 */
export async function openConnections(origin: string, proxy: URL | undefined): Promise<() => Connection> {
  const undici = await import("undici");
  const options = {
    ...(await clientOptions(undici.buildConnector, proxy)),
    pipelining: 1,
    // Of a connection that is watched; all others are used at once or dropped. Milliseconds.
    keepAliveTimeout: 10_000,
  };
  // Unknown until one connection was watched; learnt once, for all of them.
  let mayReuse: boolean | undefined;
  return () => {
    let client: Client | undefined;
    /** A connection that was left open after its answer, to see whether the service closes it. */
    let watched: Client | undefined;
    const leave = (used: Client) => {
      if (mayReuse !== undefined) return close(used);
      watched = used;
      used.once("disconnect", () => {
        if (watched === used) mayReuse = false;
      });
    };
    const learn = (kind: Exchange["kind"], isReused: boolean) => {
      if (isReused && kind === "broken") mayReuse = false;
      if (watched === undefined) return;
      if (kind === "answered") mayReuse ??= true;
      close(watched);
      watched = undefined;
    };
    return {
      start: (request, onEnd) => {
        if (client !== undefined && mayReuse !== true) {
          leave(client);
          client = undefined;
        }
        const isReused = client !== undefined;
        client ??= new undici.Client(origin, options);
        return startExchange(client, request, (exchange) => {
          learn(exchange.kind, isReused);
          onEnd(exchange);
        });
      },
      drop: () => {
        if (client !== undefined) close(client);
        client = undefined;
      },
    };
  };
}

/** Not within the callback of an answer, which undici has not finished with yet. */
function close(client: Client): void {
  queueMicrotask(() => void client.destroy());
}
