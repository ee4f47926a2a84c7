import type { Host } from "../host.ts";

/** Until it has woken for the time that was set first, it ignores others, also shorter ones. */
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
