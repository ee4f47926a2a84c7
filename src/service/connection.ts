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
 * would meet the wrong request. So nothing is kept for later, and nothing is used again before the service was seen to
 * keep a connection open after an answer, or after it once did not.
 */
export async function openConnections(origin: string, proxy: URL | undefined): Promise<() => Connection> {
  const undici = await import("undici");
  const options = {
    ...(await clientOptions(undici.buildConnector, proxy)),
    pipelining: 1,
    // Of a connection that is watched; all others are used at once or dropped. Milliseconds.
    keepAliveTimeout: 10_000,
  };
  const reuse = watchReuse();
  return () => {
    let client: Client | undefined;
    return {
      start: (request, onEnd) => {
        if (client !== undefined && !reuse.isAllowed()) {
          reuse.retire(client);
          client = undefined;
        }
        const isReused = client !== undefined;
        const learn = reuse.watch(isReused);
        client ??= new undici.Client(origin, options);
        if (isReused) writeSoon(client);
        return startExchange(client, request, (exchange) => {
          learn(exchange);
          onEnd(exchange);
        });
      },
      drop: () => {
        if (client !== undefined) close(client);
        client = undefined;
        reuse.forget();
      },
    };
  };
}

/**
 * Has undici write the request that it is given next as soon as all bytes that have come are read. It would wait for
 * the other connections that have answers, while the service has nothing to do.
 */
function writeSoon(client: Client): void {
  queueMicrotask(() => (client.pipelining = 1));
}

/** Not within the callback of an answer, which undici has not finished with yet. */
function close(client: Client): void {
  queueMicrotask(() => void client.destroy());
}

/**
 * Finds out whether connections may be used again: one that has carried an answer is left open until another request was
 * begun and answered. A service that closes its connections unannounced would leave every second message uncertain.
 */
function watchReuse() {
  let isAllowed: boolean | undefined;
  let left: Client | undefined;
  const forget = () => {
    if (left !== undefined) close(left);
    left = undefined;
  };
  return {
    isAllowed: () => isAllowed === true,
    /** Takes over a connection that has carried an answer and is not used again. */
    retire: (client: Client) => {
      if (isAllowed !== undefined || left !== undefined) return close(client);
      left = client;
      client.once("disconnect", () => {
        if (left === client) isAllowed = false;
      });
    },
    /** Watches a request that begins now; gives what is to be told how it ended. */
    watch: (isReused: boolean) => {
      const witness = left;
      return ({ kind }: Exchange) => {
        if (isReused && kind === "broken") isAllowed = false;
        if (witness === undefined || witness !== left || kind !== "answered") return;
        isAllowed ??= true;
        forget();
      };
    },
    /** Closes what was left open. */
    forget,
  };
}
