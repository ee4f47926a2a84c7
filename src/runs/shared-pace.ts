import type { Pace } from "../delivery/pace.ts";
import { type AccountPace, lateness } from "../record/account.ts";

/** Returns a pace that keeps to its own rate and takes its turns with all other commands on the account. */
export function sharedPace(own: Pace, account: AccountPace, clock: () => number): Pace {
  /** When the turns are that were taken and not used. */
  let turns: number[] = [];
  let askAt = -Infinity;
  let isAsking = false;
  let tell = () => {};
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    const { wait, count, interval } = await account.take();
    isAsking = false;
    const first = clock() + wait;
    if (count === 0) askAt = first;
    turns = Array.from({ length: count }, (_, index) => first + index * interval);
    tell();
  };
  return {
    wait: (now) => {
      const ms = own.wait(now);
      if (ms > 0) return ms;
      // Whoever was stopped meanwhile asks again, because others went on.
      turns = turns.filter((turn) => turn >= now - lateness);
      const [turn] = turns;
      if (turn !== undefined) return Math.max(0, turn - now);
      if (askAt > now) return askAt - now;
      void ask();
      return Infinity;
    },
    release: (now) => {
      own.release(now);
      turns.shift();
    },
    pause: (now, ms, byService) => {
      own.pause(now, ms, byService);
      turns = [];
      if (byService) void account.hold(ms);
    },
    listen: (onTurn) => {
      tell = onTurn;
    },
  };
}
