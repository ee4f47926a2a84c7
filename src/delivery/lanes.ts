import type { Host, Interruption } from "../host.ts";
import type { Connection } from "../service/connection.ts";
import type { Exchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";
import type { StartedExchange } from "../service/transport.ts";

/** What lanes need of the world. */
export interface LaneParts extends Pick<Host, "now" | "sleep"> {
  readonly connect: () => Connection;
  readonly interruption: Interruption;
}

/** Where the requests of a lane come from, and where its answers go. */
export interface LaneWork<Item> {
  /** What to send next; undefined where nothing is ready. */
  readonly next: () => Item | undefined;
  readonly request: (item: Item) => WireRequest;
  /** Takes in what came of it, and says whether the connection may be trusted with another. */
  readonly settle: (item: Item, exchange: Exchange) => boolean;
}

interface Lane {
  readonly connection: Connection;
  /** The exchange under way. */
  current: StartedExchange | undefined;
  /** When it was started. */
  started: number;
}

/** At most so many requests in flight, each within its time. */
export class Lanes<Item> {
  readonly #work: LaneWork<Item>;
  readonly #parts: LaneParts;
  readonly #timeout: number;
  readonly #lanes: readonly Lane[];
  readonly #free: Lane[];
  #inFlight = 0;
  readonly #closed = new AbortController();

  /** `timeout` of one request in milliseconds. */
  constructor(count: number, timeout: number, work: LaneWork<Item>, parts: LaneParts) {
    this.#work = work;
    this.#parts = parts;
    this.#timeout = timeout;
    const connections = Array.from({ length: count }, () => parts.connect());
    this.#lanes = connections.map((connection) => ({ connection, current: undefined, started: 0 }));
    this.#free = [...this.#lanes];
    parts.interruption.stop.addEventListener("abort", this.#onStop);
    parts.interruption.leave.addEventListener("abort", this.#onLeave);
    void this.#watch();
  }

  /** Requests taken and not settled. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sets free lanes to work until all are busy or nothing is ready. */
  fill(isReady: () => boolean): void {
    while (isReady()) {
      const lane = this.#free.pop();
      if (lane === undefined) return;
      this.#run(lane);
    }
  }

  /** Breaks off what is in flight and closes all connections. */
  close(): void {
    this.#parts.interruption.stop.removeEventListener("abort", this.#onStop);
    this.#parts.interruption.leave.removeEventListener("abort", this.#onLeave);
    this.#closed.abort();
    this.#onLeave();
    for (const { connection } of this.#lanes) connection.drop();
  }

  /** One after another on one connection, which is closed as soon as nothing is ready for it. */
  #run(lane: Lane): void {
    const item = this.#work.next();
    if (item === undefined) {
      lane.connection.drop();
      this.#free.push(lane);
      return;
    }
    lane.started = this.#parts.now();
    this.#inFlight++;
    lane.current = lane.connection.start(this.#work.request(item), (exchange) => {
      lane.current = undefined;
      this.#inFlight--;
      if (!this.#work.settle(item, exchange)) lane.connection.drop();
      this.#run(lane);
    });
  }

  readonly #onStop = (): void => {
    for (const { current } of this.#lanes)
      if (current?.hasBegun() === false) current.breakOff({ kind: "stopped" });
  };

  readonly #onLeave = (): void => {
    for (const { current } of this.#lanes) current?.breakOff({ kind: "stopped" });
  };

  /** One clock for all deadlines: a timer for each request would cost more than all else that is done for it here. */
  async #watch(): Promise<void> {
    const tick = Math.min(1_000, this.#timeout / 20);
    while (!this.#closed.signal.aborted) {
      await this.#parts.sleep(tick, this.#closed.signal);
      const latest = this.#parts.now() - this.#timeout;
      for (const { current, started } of this.#lanes)
        if (started <= latest) current?.breakOff({ kind: "deadline" });
    }
  }
}
