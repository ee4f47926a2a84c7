import type { AtMost } from "../options.ts";
import { type Batch, Gathering, joined } from "./batch.ts";
import type { WatchedLine } from "./kinds.ts";

/** Milliseconds since 1970 by both clocks: intervals go by `now`, which never goes back. */
export interface Instant {
  readonly now: number;
  readonly wall: number;
}

interface Terms {
  readonly groupMs: number;
  readonly atMost: AtMost;
  readonly holdAt: (wall: number) => Delay | undefined;
  /** The times of texts of earlier watches, the earliest first, by `now`. */
  readonly toldBefore?: readonly number[];
}

export interface Delay {
  /** A text that comes late has these words. */
  readonly brief: string;
  /** A person who sees that lines were not sent gets this sentence. */
  readonly reason: string;
}

export interface Notice {
  readonly batch: Batch;
  readonly delays: ReadonlySet<string>;
}

/** A `told` text may be on the phone, an `unsent` one is tried again, and a `refused` one is let go. */
export type TextResult = { readonly kind: "told" | "refused" } | { readonly kind: "unsent"; readonly reason: string };

/** Each further failure doubles the pause up to the longest. */
const retryMs = { first: 30_000, longest: 8 * 60_000 };

/** The clock on the wall may jump between two looks at a hold. */
const lookMs = 15_000;

const notSent = "not sent before";

export function gather({ groupMs, atMost, holdAt, toldBefore = [] }: Terms) {
  /** The times at which texts of the last `atMost.timeMs` were settled. */
  const told = [...toldBefore];
  let gathering = new Gathering();
  let waiting: Batch | undefined;
  let delays = new Set<string>();
  let isInFlight = false;
  let failures = 0;
  let failure = "";
  let dueAt = Infinity;
  let lastAt = -Infinity;
  let retryAt = -Infinity;

  const roomAt = (now: number) => {
    while (told[0] !== undefined && told[0] + atMost.timeMs < now) told.shift();
    const oldest = told.at(-atMost.texts);
    return oldest === undefined ? -Infinity : oldest + atMost.timeMs + 1;
  };
  const readyAt = ({ now, wall }: Instant) =>
    Math.max(holdAt(wall) === undefined ? now : now + lookMs, retryAt, roomAt(now));
  const delayAt = ({ now, wall }: Instant): Delay | undefined => {
    const hold = holdAt(wall);
    if (hold !== undefined) return hold;
    if (retryAt > now) return { brief: notSent, reason: failure };
    if (roomAt(now) <= now) return undefined;
    return { brief: `at most ${atMost.words}`, reason: `--at-most ${atMost.words} allows no more` };
  };
  const close = (at: Instant) => {
    dueAt = Infinity;
    if (gathering.lines === 0) return;
    waiting = waiting === undefined ? gathering : joined(waiting, gathering);
    gathering = new Gathering();
    const delay = delayAt(at);
    if (delay !== undefined) delays.add(delay.brief);
  };
  const advance = (at: Instant) => {
    if (at.now >= dueAt) close(at);
  };
  return {
    add: (line: WatchedLine, at: Instant): void => {
      advance(at);
      gathering.isFirst = at.now - lastAt >= groupMs;
      lastAt = at.now;
      if (gathering.lines === 0) dueAt = at.now + groupMs;
      gathering.add(line, at.wall);
      if (gathering.isFirst) close(at);
    },
    /** No other text goes before `settle` gets the result of this one. */
    take: (at: Instant): Notice | undefined => {
      advance(at);
      if (isInFlight || waiting === undefined) return undefined;
      const delay = delayAt(at);
      if (delay !== undefined) {
        delays.add(delay.brief);
        return undefined;
      }
      const notice = { batch: waiting, delays };
      isInFlight = true;
      waiting = undefined;
      delays = new Set();
      return notice;
    },
    settle: (notice: Notice, result: TextResult, { now }: Instant): void => {
      isInFlight = false;
      if (result.kind === "told") told.push(now);
      if (result.kind !== "unsent") {
        failures = 0;
        retryAt = -Infinity;
        return;
      }
      waiting = waiting === undefined ? notice.batch : joined(notice.batch, waiting);
      delays = new Set([...notice.delays, ...delays, notSent]);
      failure = result.reason;
      retryAt = now + Math.min(retryMs.longest, retryMs.first * 2 ** failures++);
    },
    /** The time is by `now`; Infinity if only another line changes anything. */
    nextAt: (at: Instant): number => (isInFlight || waiting === undefined ? dueAt : Math.min(dueAt, readyAt(at))),
    /** Infinity if the time is not known. */
    nextTextAt: (at: Instant): number =>
      isInFlight ? Infinity : Math.max(waiting === undefined ? dueAt : at.now, readyAt(at)),
    /** No more lines come, so the wait after a failure ends, too. */
    end: (at: Instant): void => {
      close(at);
      retryAt = -Infinity;
    },
    /** Lines in flight count as told. */
    untold: (at: Instant): { readonly batch: Batch; readonly delay: Delay | undefined } | undefined => {
      const batch = waiting === undefined ? gathering : joined(waiting, gathering);
      return batch.lines === 0 ? undefined : { batch, delay: delayAt(at) };
    },
  };
}
