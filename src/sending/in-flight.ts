import type { Host, Interruption } from "../host.ts";
import type { StartRequest } from "../service/connection.ts";
import type { Exchange, StartedExchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";

export interface FlightParts extends Pick<Host, "now" | "sleep"> {
  readonly startRequest: StartRequest;
  readonly interruption: Interruption;
}

export class InFlight {
  readonly #parts: FlightParts;
  readonly #timeout: number;
  /** Each request in flight has its deadline. */
  readonly #flights = new Map<StartedExchange, number>();
  readonly #closing = new AbortController();

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

  /** Throws if the request cannot begin. */
  start(request: WireRequest, totalDeadline: number, onExchange: (exchange: Exchange) => void): void {
    const { now, startRequest } = this.#parts;
    const deadline = Math.min(now() + this.#timeout, totalDeadline);
    const flight = startRequest(request, (exchange) => {
      this.#flights.delete(flight);
      onExchange(exchange);
    });
    this.#flights.set(flight, deadline);
  }

  /** Answers to requests that have begun are awaited. */
  stop(): void {
    for (const flight of this.#flights.keys()) if (!flight.hasBegun()) flight.breakOff({ kind: "stopped" });
  }

  close(): void {
    this.#parts.interruption.leave.removeEventListener("abort", this.#onLeave);
    this.#closing.abort("closing");
    this.#onLeave();
  }

  readonly #onLeave = (): void => {
    for (const flight of this.#flights.keys()) flight.breakOff({ kind: "stopped" });
  };

  /** A timer for each request would cost more than all else here, so one timer serves all. */
  async #watch(): Promise<void> {
    const { now, sleep } = this.#parts;
    const tick = Math.min(1_000, this.#timeout / 20);
    while (!this.#closing.signal.aborted) {
      // The first request that started is the first to end.
      const [firstDeadline = Infinity] = this.#flights.values();
      const untilFirst = Math.max(1, firstDeadline - now());
      await sleep(Math.min(tick, untilFirst), this.#closing.signal);
      const time = now();
      for (const [flight, deadline] of this.#flights) if (deadline <= time) flight.breakOff({ kind: "deadline" });
    }
  }
}
