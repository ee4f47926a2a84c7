import { setTimeout as sleep } from "node:timers/promises";

/** Throws after a minute. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`never: ${isTrue.toString()}`);
    await sleep(20);
  }
}
