import { subscribe } from "node:diagnostics_channel";
import { setImmediate as turn } from "node:timers/promises";
import type { Host } from "../../../src/host.ts";

let inFlight = 0;
subscribe("undici:request:create", () => inFlight++);
for (const end of ["trailers", "error"]) subscribe(`undici:request:${end}`, () => inFlight--);

/** A clock that goes on only by `goTo`, and not while a request is in flight. Milliseconds since 1970. */
export function virtualTime(start: number) {
  let time = start;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const sleep: Host["sleep"] = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: time + ms, wake };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
    });
  const settled = async () => {
    for (let idle = 0; idle < 5; idle = inFlight > 0 ? 0 : idle + 1) await turn();
  };
  return {
    now: () => time,
    sleep,
    goTo: async (to: number): Promise<void> => {
      for (;;) {
        await settled();
        const [next] = [...sleepers].toSorted((one, other) => one.at - other.at);
        if (next === undefined || next.at > to) break;
        time = Math.max(time, next.at);
        next.wake();
      }
      time = Math.max(time, to);
    },
  };
}
