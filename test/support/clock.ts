import { setImmediate as turn } from "node:timers/promises";

/** A clock that stands still until it is advanced. Milliseconds. */
export function newClock(start = 0) {
  let time = start;
  let timers: readonly { readonly at: number; readonly ms: number; readonly fire: () => void }[] = [];
  const left = (except?: number): readonly number[] =>
    timers
      .filter(({ ms }) => ms !== except)
      .map(({ at }) => at - time)
      .sort((a, b) => a - b);
  const advance = (ms: number): void => {
    time += ms;
    for (const timer of timers.filter(({ at }) => at <= time)) timer.fire();
  };
  return {
    now: (): number => time,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const fire = () => {
          timers = timers.filter((other) => other !== timer);
          signal?.removeEventListener("abort", fire);
          resolve();
        };
        const timer = { at: time + ms, ms, fire };
        timers = [...timers, timer];
        signal?.addEventListener("abort", fire);
      }),
    /** The time left of each sleep, but for sleeps of `except` milliseconds. */
    left,
    advance,
    /** Advances from one sleep to the next, and lets who slept go on. */
    pass: async (ms: number): Promise<void> => {
      const end = time + ms;
      for (;;) {
        for (let turns = 0; turns < 5; turns++) await turn();
        const [next = Infinity] = left();
        if (time + next > end) break;
        advance(next);
      }
      advance(end - time);
    },
  };
}
