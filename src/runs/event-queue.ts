import type { RunEvent } from "./events.ts";

/** No new request begins while this many events wait for their reader. */
const mostWaiting = 1_000;

/** Events on their way from callbacks to the one generator that yields them. */
export class EventQueue {
  #events: RunEvent[] = [];
  #wake: () => void = () => {};

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  get isFull(): boolean {
    return this.#events.length >= mostWaiting;
  }

  push(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Removes and returns all events. */
  takeAll(): readonly RunEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Wakes the reader although there is no event. */
  wake(): void {
    this.#wake();
  }

  /** Resolves at the next `push` or `wake`. */
  change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
