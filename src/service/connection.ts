import type { Client } from "undici";
import type { WireRequest } from "./request.ts";
import { clientOptions, type StartedExchange, startExchange } from "./transport.ts";

/**
 * One connection at a time to the service, opened when it is first needed. It carries a request right after the answer to
 * the one before; whoever has nothing more to send at that moment, or doubts what was answered, drops it.
 */
export interface Connection {
  /** Starts one attempt at one request. Never to be called while another is under way. */
  readonly start: (request: WireRequest) => StartedExchange;
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
      start: (request) => startExchange((client ??= new undici.Client(origin, options)), request),
      drop: () => {
        void client?.destroy();
        client = undefined;
      },
    };
  };
}
