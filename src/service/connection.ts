import type { Client } from "undici";
import type { Exchange } from "./exchange.ts";
import type { WireRequest } from "./request.ts";
import { clientOptions, exchange, type ExchangeSignals } from "./transport.ts";

/**
 * One connection at a time to the service, opened when it is first needed. It carries a request right after the answer to
 * the one before; whoever has nothing more to send at that moment, or doubts what was answered, drops it.
 */
export interface Connection {
  /** One attempt at one request, as `exchange` makes it. Never to be called while another is under way. */
  readonly exchange: (request: WireRequest, signals: ExchangeSignals) => Promise<Exchange>;
  /** Closes what is open; the next request opens a new one. */
  readonly drop: () => void;
}

/**
 * Makes connections to `origin`: HTTP/1.1, no pipelining, through a tunnel where there is a proxy. An idle connection
 * may be closed by the service just as a request goes out on it, which leaves that message uncertain; and a late answer
 * would meet the wrong request. So nothing is kept for later.
 */
export async function openConnections(origin: string, proxy: URL | undefined): Promise<() => Connection> {
  const undici = await import("undici");
  const options = {
    ...(await clientOptions(undici.buildConnector, proxy)),
    pipelining: 1,
    // Only what nobody dropped: a shorter time would close connections between two turns of a busy loop. Milliseconds.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  };
  return () => {
    let client: Client | undefined;
    return {
      exchange: async (request, signals) => {
        // After this and undici's own look at the socket, whatever came behind the last answer has closed it.
        if (client !== undefined) await turnOfTheLoop();
        client ??= new undici.Client(origin, options);
        return exchange(client, request, signals);
      },
      drop: () => {
        void client?.destroy();
        client = undefined;
      },
    };
  };
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
