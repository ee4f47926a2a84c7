/** A clock that stands still until it is advanced. Milliseconds. */
export class Clock {
  #now = 0;
  #timers: { readonly at: number; readonly ms: number; readonly fire: () => void }[] = [];

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = {
        at: this.#now + ms,
        ms,
        fire: () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
          signal?.removeEventListener("abort", timer.fire);
          resolve();
        },
      };
      this.#timers.push(timer);
      signal?.addEventListener("abort", timer.fire);
    });

  /** The time left of each sleep, but for sleeps of `except` milliseconds. */
  left(except: number): readonly number[] {
    return this.#timers
      .filter(({ ms }) => ms !== except)
      .map(({ at }) => at - this.#now)
      .sort((a, b) => a - b);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers.filter(({ at }) => at <= this.#now)) timer.fire();
  }
}
