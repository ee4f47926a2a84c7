import type { Host, Interruption } from "../host.ts";
import type { Connection, Connections } from "../service/connection.ts";
import type { Exchange, StartedExchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";

interface LaneParts extends Pick<Host, "now" | "sleep"> {
  readonly connections: Connections;
  readonly interruption: Interruption;
}

interface LaneWork<Item> {
  readonly next: () => Item | undefined;
  readonly request: (item: Item) => WireRequest;
  /** Receives the exchange of an item. Returns whether its connection may carry another request. */
  readonly settle: (item: Item, exchange: Exchange) => boolean;
  /** Receives an error that came before the request of an item could begin. */
  readonly fail: (item: Item, error: unknown) => void;
}

interface Lane {
  readonly connection: Connection;
  current: StartedExchange | undefined;
  started: number;
}

/** Sends items over a fixed number of connections, each request within its own time. */
export class Lanes<Item> {
  readonly #work: LaneWork<Item>;
  readonly #parts: LaneParts;
  readonly #timeout: number;
  readonly #lanes: readonly Lane[];
  readonly #free: Lane[];
  #inFlight = 0;
  readonly #closed = new AbortController();

  /** `timeout` is for one request, in milliseconds. */
  constructor(count: number, timeout: number, work: LaneWork<Item>, parts: LaneParts) {
    this.#work = work;
    this.#parts = parts;
    this.#timeout = timeout;
    const connections = Array.from({ length: count }, () => parts.connections.make());
    this.#lanes = connections.map((connection) => ({ connection, current: undefined, started: 0 }));
    this.#free = [...this.#lanes];
    parts.interruption.leave.addEventListener("abort", this.#onLeave);
    void this.#watch();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  fill(isReady: () => boolean): void {
    while (isReady()) {
      const lane = this.#free.pop();
      if (lane === undefined) return;
      this.#send(lane);
    }
  }

  stop(): void {
    for (const { current } of this.#lanes) if (current?.hasBegun() === false) current.breakOff({ kind: "stopped" });
  }

  close(): void {
    this.#parts.interruption.leave.removeEventListener("abort", this.#onLeave);
    this.#closed.abort("closed");
    this.#onLeave();
    for (const { connection } of this.#lanes) connection.drop();
  }

  /** Sends one item after another on a lane until nothing is ready, then closes its connection. */
  #send(lane: Lane): void {
    const item = this.#work.next();
    if (item === undefined) {
      lane.connection.drop();
      this.#free.push(lane);
      return;
    }
    lane.started = this.#parts.now();
    this.#inFlight++;
    try {
      lane.current = lane.connection.start(this.#work.request(item), (exchange) => {
        lane.current = undefined;
        this.#inFlight--;
        if (!this.#work.settle(item, exchange)) lane.connection.drop();
        this.#send(lane);
      });
    } catch (error) {
      this.#inFlight--;
      this.#free.push(lane);
      this.#work.fail(item, error);
    }
  }

  readonly #onLeave = (): void => {
    for (const { current } of this.#lanes) current?.breakOff({ kind: "stopped" });
  };

  /** Ends overdue requests by one timer for all lanes. A timer for each request would cost more than the rest of a lane. */
  async #watch(): Promise<void> {
    const tick = Math.min(1_000, this.#timeout / 20);
    while (!this.#closed.signal.aborted) {
      await this.#parts.sleep(tick, this.#closed.signal);
      const latest = this.#parts.now() - this.#timeout;
      for (const { current, started } of this.#lanes) if (started <= latest) current?.breakOff({ kind: "deadline" });
    }
  }
}
