import type { AtMost } from "../options.ts";
import { type Batch, Gathering, joined } from "./batch.ts";
import type { WatchedLine } from "./kinds.ts";

/** An instant by both clocks, in milliseconds since 1970: intervals go by `now`, which never goes back. */
export interface Instant {
  readonly now: number;
  readonly wall: number;
}

interface Terms {
  readonly groupMs: number;
  readonly atMost: AtMost;
  /** Why no text may go at this time by the clock on the wall. */
  readonly holdAt: (wall: number) => Delay | undefined;
  /** When an earlier watch told the recipient, the earliest first, by `now`. */
  readonly toldBefore?: readonly number[];
}

/** Why lines wait for longer than they are gathered. */
export interface Delay {
  /** For a text that comes late. */
  readonly brief: string;
  /** For a person who sees that lines were not sent. */
  readonly reason: string;
}

/** The lines of one text. */
export interface Notice {
  readonly batch: Batch;
  /** Briefs of the delays of its lines. */
  readonly delays: ReadonlySet<string>;
}

/** A `told` text may be on the phone, an `unsent` one is tried again, and a `refused` one is let go. */
export type TextResult = { readonly kind: "told" | "refused" } | { readonly kind: "unsent"; readonly reason: string };

/** The pause after a failure. Each further failure doubles it up to the longest. */
const retryMs = { first: 30_000, longest: 8 * 60_000 };

/** The pause between two looks at a hold: the clock on the wall may jump. */
const lookMs = 15_000;

const notSent = "not sent before";

/** Gathers lines for texts to one recipient. The caller tells it the time. */
export function gather({ groupMs, atMost, holdAt, toldBefore = [] }: Terms) {
  /** When each text of the last `atMost.timeMs` was settled. */
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

  /** When the limit has room for another text. */
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
  /** Ends the gathering: from now on its lines wait for their text. */
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
    /** Returns the text that goes now. No other goes before `settle` gets the result of this one. */
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
    /** When to look again, by `now`; Infinity if only another line changes anything. */
    nextAt: (at: Instant): number => (isInFlight || waiting === undefined ? dueAt : Math.min(dueAt, readyAt(at))),
    /** When the next text goes if no other line comes; Infinity if that is not known. */
    nextTextAt: (at: Instant): number =>
      isInFlight ? Infinity : Math.max(waiting === undefined ? dueAt : at.now, readyAt(at)),
    /** Ends the gathering before its time, and the wait after a failure: no more lines come. */
    end: (at: Instant): void => {
      close(at);
      retryAt = -Infinity;
    },
    /** The lines that no text has told, and their delay; lines in flight count as told. */
    untold: (at: Instant): { readonly batch: Batch; readonly delay: Delay | undefined } | undefined => {
      const batch = waiting === undefined ? gathering : joined(waiting, gathering);
      return batch.lines === 0 ? undefined : { batch, delay: delayAt(at) };
    },
  };
}
