import type { HoldOfAll } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import type { AtMost } from "../option-values.ts";
import { addLine, type Batch, emptyBatch, joined } from "./batch.ts";
import type { WatchedLine } from "./lines.ts";

interface NoticeLimits {
  readonly group: number;
  readonly atMost: AtMost;
  readonly holdAll: (wall: number) => Delay | undefined;
  /** The times of notices of earlier watches, the earliest first, by `now`. */
  readonly earlierTimes?: readonly number[];
}

/** A notice that comes late has the `brief` words; a person who sees that lines were not sent gets the `sentence`. */
type Delay = Pick<HoldOfAll, "brief" | "sentence">;

export interface Remainder {
  readonly batch: Batch;
  readonly delay: Delay | undefined;
}

export interface Notice {
  readonly batch: Batch;
  readonly delays: ReadonlySet<string>;
}

/** A `counted` notice may be on the phone, so it counts for --at-most; the lines of a `retry` join the next notice. */
export type NoticeResult =
  | { readonly kind: "counted" | "refused" }
  | { readonly kind: "retry"; readonly reason: string }
  /** Notices of other watches leave no room for so long. */
  | { readonly kind: "full"; readonly ms: number };

/** Each further failure doubles the pause up to the longest. */
const retryMs = { first: 30_000, longest: 8 * 60_000 };

/** The clock on the wall may jump between two looks at a hold. */
const lookMs = 15_000;

const notSent = "not sent before";

export type Gatherer = ReturnType<typeof newGatherer>;

export function newGatherer({ group: groupMs, ...limits }: NoticeLimits, host: Pick<Host, "now" | "wallClock">) {
  const { now, wallClock } = host;
  const waits = newWaits(limits, host);
  let gathering = emptyBatch();
  let waiting: Batch | undefined;
  let delays = new Set<string>();
  let isInFlight = false;
  let dueAt = Infinity;
  let lastAt = -Infinity;

  const noteDelay = () => {
    const delay = waits.delay();
    if (delay !== undefined) delays.add(delay.brief);
    return delay !== undefined;
  };
  const close = () => {
    dueAt = Infinity;
    if (gathering.lines === 0) return;
    waiting = joined(waiting, gathering);
    gathering = emptyBatch();
    noteDelay();
  };
  return {
    add: (line: WatchedLine): void => {
      const time = now();
      if (time >= dueAt) close();
      // Behind a silence the batch is empty.
      gathering.isFirst = time - lastAt >= groupMs;
      lastAt = time;
      if (gathering.lines === 0) dueAt = time + groupMs;
      addLine(gathering, line, wallClock());
      if (gathering.isFirst) close();
    },
    /** Undefined if none may go now. No other goes before `finish` gets the result of this one. */
    nextNotice: (): Notice | undefined => {
      if (now() >= dueAt) close();
      if (isInFlight || waiting === undefined || noteDelay()) return undefined;
      const notice = { batch: waiting, delays };
      isInFlight = true;
      waiting = undefined;
      delays = new Set();
      return notice;
    },
    finish: (notice: Notice, result: NoticeResult): void => {
      isInFlight = false;
      waits.add(result);
      if (result.kind !== "retry" && result.kind !== "full") return;
      waiting = waiting === undefined ? notice.batch : joined(notice.batch, waiting);
      delays = new Set([...notice.delays, ...delays]);
      if (result.kind === "retry") delays.add(notSent);
      else noteDelay();
    },
    /** The time is by `now`; Infinity if only another line changes anything. */
    nextAt: (): number => (isInFlight || waiting === undefined ? dueAt : Math.min(dueAt, waits.endAt())),
    /** Infinity if the time is not known. */
    nextNoticeAt: (): number =>
      isInFlight ? Infinity : Math.max(waiting === undefined ? dueAt : -Infinity, waits.endAt()),
    /** No more lines come. */
    end: (): void => {
      close();
      waits.endRetry();
    },
    /** The lines of a notice in flight are not among these. */
    remainder: (): Remainder => ({ batch: joined(waiting, gathering), delay: waits.delay() }),
  };
}

/** What the next notice waits for: a guard, the pause after a failure, or room under --at-most. */
function newWaits(
  { atMost, holdAll, earlierTimes = [] }: Omit<NoticeLimits, "group">,
  { now, wallClock }: Pick<Host, "now" | "wallClock">,
) {
  /** The times of notices within `atMost.timeMs`, the earliest first: they alone count if the record cannot be written. */
  const noticeTimes = [...earlierTimes];
  let othersUntil = -Infinity;
  let failures = 0;
  let failure = "";
  let retryAt = -Infinity;

  const roomAt = () => {
    while (noticeTimes[0] !== undefined && noticeTimes[0] + atMost.timeMs < now()) noticeTimes.shift();
    const oldest = noticeTimes.at(-atMost.texts);
    return Math.max(othersUntil, oldest === undefined ? -Infinity : oldest + atMost.timeMs + 1);
  };
  const endRetry = () => void (retryAt = -Infinity);
  return {
    endAt: () => Math.max(now() + (holdAll(wallClock()) === undefined ? 0 : lookMs), retryAt, roomAt()),
    delay: (): Delay | undefined => {
      const hold = holdAll(wallClock());
      if (hold !== undefined) return hold;
      if (retryAt > now()) return { brief: notSent, sentence: failure };
      if (roomAt() <= now()) return undefined;
      return { brief: `at most ${atMost.words}`, sentence: `--at-most ${atMost.words} allows no more` };
    },
    add: (result: NoticeResult): void => {
      if (result.kind === "full") othersUntil = now() + result.ms;
      else if (result.kind === "retry") {
        failure = result.reason;
        retryAt = now() + Math.min(retryMs.longest, retryMs.first * 2 ** failures++);
      } else {
        if (result.kind === "counted") noticeTimes.push(now());
        failures = 0;
        endRetry();
      }
    },
    /** The end of the input ends the pause after a failure, too. */
    endRetry,
  };
}
