import type { Host } from "../host.ts";

/** Wakes once after the first of the times, however many are set meanwhile. */
export function alarm({ sleep }: Pick<Host, "sleep">, signal: AbortSignal, wake: () => void): (ms: number) => void {
  let isWaiting = false;
  return (ms) => {
    if (isWaiting) return;
    isWaiting = true;
    const ring = () => {
      isWaiting = false;
      wake();
    };
    void sleep(Math.ceil(ms), signal).then(ring);
  };
}
