import type { Host } from "../host.ts";

/** Returns a function that calls `wake` after that many milliseconds, unless an earlier call of it still waits. */
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
