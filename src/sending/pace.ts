/** Timers fire late, and an intent is recorded first, perhaps in a database that is far away. */
const slackMs = 500;

export type Pace = ReturnType<typeof openPace>;

/** The generic cell rate algorithm (ITU-T I.371), in milliseconds: a minute has at most `perMinute`, also of late requests. */
export function openPace(perMinute: number, lastBegan?: number) {
  // Sums of fractions round, so a minute is slightly longer here.
  const interval = (60_000.001 + slackMs) / perMinute;
  let next = lastBegan === undefined ? Infinity : lastBegan + interval;
  // Once the clock is set back, `next` is no further away than this; the very first request need not wait.
  let longest = lastBegan === undefined ? 0 : interval;
  const after = (now: number, count: number) => (count === 0 ? next : Math.max(next, now - slackMs) + count * interval);
  return {
    /** 0 if the next request may begin now, behind `waiting` others that have not begun yet. */
    wait: (now: number, waiting: number): number => {
      if (next - now > longest) next = now + longest;
      return Math.max(0, after(now, waiting) - now);
    },
    begin: (now: number): void => {
      next = after(now, 1);
      longest = interval;
    },
    pause: (now: number, ms: number): void => {
      next = Math.max(next, now + ms);
      longest = Math.max(longest, ms);
    },
  };
}
