import type { Host, Interruption } from "../host.ts";
import type { Connection } from "../service/connection.ts";
import type { Exchange } from "../service/exchange.ts";
import type { WireRequest } from "../service/request.ts";

/** What lanes need of the world. */
export interface LaneParts extends Pick<Host, "now" | "sleep"> {
  readonly connect: () => Connection;
  readonly interruption: Interruption;
}

/** A connection and what ends its exchanges early. An AbortSignal warns of many listeners, so each lane has its own. */
interface Lane {
  readonly connection: Connection;
  deadline: AbortController;
  readonly stop: AbortController;
  readonly leave: AbortController;
  /** When the request under way began; undefined while there is none. */
  began: number | undefined;
}

/** At most so many requests in flight, each within `timeout` milliseconds. */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #timeout: number;
  readonly #lanes: readonly Lane[];
  readonly #free: Lane[];
  readonly #closed = new AbortController();
  readonly #onStop = () => {
    for (const { stop } of this.#lanes) stop.abort();
  };
  readonly #onLeave = () => {
    for (const { leave } of this.#lanes) leave.abort();
  };

  constructor(count: number, timeout: number, parts: LaneParts) {
    this.#parts = parts;
    this.#timeout = timeout;
    this.#lanes = Array.from({ length: count }, () => ({
      connection: parts.connect(),
      deadline: new AbortController(),
      stop: new AbortController(),
      leave: new AbortController(),
      began: undefined,
    }));
    this.#free = [...this.#lanes];
    const { stop, leave } = parts.interruption;
    stop.addEventListener("abort", this.#onStop);
    leave.addEventListener("abort", this.#onLeave);
    if (stop.aborted) this.#onStop();
    if (leave.aborted) this.#onLeave();
    void this.#watch();
  }

  /**
   * Sends what `next` gives, one after another on one connection, and hands each exchange to `settle`, which says whether
   * that connection may be trusted with another; closes it when `next` gives nothing. False, and nothing taken, where
   * all lanes are busy.
   */
  work<Item>(
    next: () => Item | undefined,
    request: (item: Item) => WireRequest,
    settle: (item: Item, exchange: Exchange) => boolean,
  ): boolean {
    const lane = this.#free.pop();
    if (lane === undefined) return false;
    void this.#work(lane, next, request, settle);
    return true;
  }

  /** Breaks off what is in flight and closes all connections. */
  close(): void {
    const { stop, leave } = this.#parts.interruption;
    stop.removeEventListener("abort", this.#onStop);
    leave.removeEventListener("abort", this.#onLeave);
    this.#closed.abort();
    this.#onLeave();
    for (const { connection } of this.#lanes) connection.drop();
  }

  async #work<Item>(
    lane: Lane,
    next: () => Item | undefined,
    request: (item: Item) => WireRequest,
    settle: (item: Item, exchange: Exchange) => boolean,
  ): Promise<void> {
    for (let item = next(); item !== undefined; item = next()) {
      lane.began = this.#parts.now();
      const exchange = await lane.connection.exchange(request(item), {
        deadline: lane.deadline.signal,
        stop: lane.stop.signal,
        leave: lane.leave.signal,
      });
      lane.began = undefined;
      if (!settle(item, exchange)) lane.connection.drop();
    }
    lane.connection.drop();
    this.#free.push(lane);
  }

  /** One clock for all deadlines: a timer for each request would cost more than the request's own bookkeeping. */
  async #watch(): Promise<void> {
    const tick = Math.min(1_000, this.#timeout / 20);
    while (!this.#closed.signal.aborted) {
      await this.#parts.sleep(tick, this.#closed.signal);
      const now = this.#parts.now();
      for (const lane of this.#lanes) {
        if (lane.began === undefined || now - lane.began < this.#timeout) continue;
        lane.deadline.abort();
        lane.deadline = new AbortController();
      }
    }
  }
}
