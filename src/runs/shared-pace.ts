import type { Pace } from "../delivery/pace.ts";
import { type AccountPace, lateness } from "../record/account.ts";

/** Returns a pace that keeps to its own rate and takes its turns with all other commands on the account. */
export function sharedPace(own: Pace, account: AccountPace, clock: () => number): Pace {
  /** The turns that were taken and not used: when the next is, and how many follow each other. */
  let turns = { next: 0, count: 0, interval: 0 };
  let askAt = -Infinity;
  let isAsking = false;
  let tell = () => {};
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    const { wait, count, interval } = await account.take();
    isAsking = false;
    const next = clock() + wait;
    if (count === 0) askAt = next;
    turns = { next, count, interval };
    tell();
  };
  const pass = () => {
    turns.next += turns.interval;
    turns.count--;
  };
  return {
    wait: (now) => {
      const ms = own.wait(now);
      if (ms > 0) return ms;
      // Whoever was stopped meanwhile asks again, because others went on.
      while (turns.count > 0 && turns.next < now - lateness) pass();
      if (turns.count > 0) return Math.max(0, turns.next - now);
      if (askAt > now) return askAt - now;
      void ask();
      return Infinity;
    },
    release: (now) => {
      own.release(now);
      if (turns.count > 0) pass();
    },
    pause: (now, ms, byService) => {
      own.pause(now, ms, byService);
      turns.count = 0;
      if (byService) void account.hold(ms);
    },
    listen: (onTurn) => {
      tell = onTurn;
    },
  };
}
