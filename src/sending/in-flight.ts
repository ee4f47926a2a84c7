import type { Host, Interruption } from "../host.ts";
import type { StartRequest } from "../service/connection.ts";
import type { Exchange, StartedExchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";

export interface FlightParts extends Pick<Host, "now" | "sleep"> {
  readonly startRequest: StartRequest;
  readonly interruption: Interruption;
}

interface Flight {
  readonly exchange: StartedExchange;
  readonly started: number;
}

/** The requests that are in flight, each within its own time. */
export class InFlight {
  readonly #parts: FlightParts;
  readonly #timeout: number;
  readonly #flights = new Set<Flight>();
  readonly #closed = new AbortController();

  /** `timeout` is for one request, in milliseconds. */
  constructor(timeout: number, parts: FlightParts) {
    this.#parts = parts;
    this.#timeout = timeout;
    parts.interruption.leave.addEventListener("abort", this.#onLeave);
    void this.#watch();
  }

  get count(): number {
    return this.#flights.size;
  }

  /** Starts a request, and hands `onEnd` its exchange later. Throws if it cannot begin. */
  start(request: WireRequest, onEnd: (exchange: Exchange) => void): void {
    const { now, startRequest } = this.#parts;
    const started = now();
    const exchange = startRequest(request, (result) => {
      this.#flights.delete(flight);
      onEnd(result);
    });
    const flight = { exchange, started };
    this.#flights.add(flight);
  }

  /** Breaks off what has not begun; the answers to the rest are awaited. */
  stop(): void {
    for (const { exchange } of this.#flights) if (!exchange.hasBegun()) exchange.breakOff({ kind: "stopped" });
  }

  close(): void {
    this.#parts.interruption.leave.removeEventListener("abort", this.#onLeave);
    this.#closed.abort("closed");
    this.#onLeave();
  }

  readonly #onLeave = (): void => {
    for (const { exchange } of this.#flights) exchange.breakOff({ kind: "stopped" });
  };

  /** Ends overdue requests by one timer for all. A timer for each request would cost more than all else here. */
  async #watch(): Promise<void> {
    const tick = Math.min(1_000, this.#timeout / 20);
    while (!this.#closed.signal.aborted) {
      await this.#parts.sleep(tick, this.#closed.signal);
      const latest = this.#parts.now() - this.#timeout;
      for (const { exchange, started } of this.#flights) if (started <= latest) exchange.breakOff({ kind: "deadline" });
    }
  }
}
