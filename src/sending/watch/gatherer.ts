import type { HoldOfAll } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import type { AtMost } from "../option-values.ts";
import { addLine, type Batch, emptyBatch, joined } from "./batch.ts";
import type { WatchedLine } from "./lines.ts";

interface Terms {
  readonly group: number;
  readonly atMost: AtMost;
  readonly holdAt: (wall: number) => Delay | undefined;
  /** The times of texts of earlier watches, the earliest first, by `now`. */
  readonly earlierTexts?: readonly number[];
}

/** A text that comes late has the `brief` words; a person who sees that lines were not sent gets the `reason`. */
export type Delay = Pick<HoldOfAll, "brief" | "reason">;

export interface Remainder {
  readonly batch: Batch;
  readonly delay: Delay | undefined;
}

export interface Notice {
  readonly batch: Batch;
  readonly delays: ReadonlySet<string>;
}

/** A `counted` text may be on the phone, so it counts for --at-most; the lines of a `retry` join the next text. */
export type TextResult =
  | { readonly kind: "counted" | "refused" }
  | { readonly kind: "retry"; readonly reason: string }
  /** Texts of other watches leave no room for so long. */
  | { readonly kind: "full"; readonly ms: number };

/** Each further failure doubles the pause up to the longest. */
const retryMs = { first: 30_000, longest: 8 * 60_000 };

/** The clock on the wall may jump between two looks at a hold. */
const lookMs = 15_000;

const notSent = "not sent before";

export type Gatherer = ReturnType<typeof newGatherer>;

export function newGatherer(
  { group, atMost, holdAt, earlierTexts = [] }: Terms,
  { now, wallClock }: Pick<Host, "now" | "wallClock">,
) {
  const room = roomFor(atMost, earlierTexts, now);
  let gathering = emptyBatch();
  let waiting: Batch | undefined;
  let delays = new Set<string>();
  let isInFlight = false;
  let failures = 0;
  let failure = "";
  let dueAt = Infinity;
  let lastAt = -Infinity;
  let retryAt = -Infinity;

  const readyAt = () => Math.max(now() + (holdAt(wallClock()) === undefined ? 0 : lookMs), retryAt, room.at());
  const findDelay = (): Delay | undefined => {
    const hold = holdAt(wallClock());
    if (hold !== undefined) return hold;
    if (retryAt > now()) return { brief: notSent, reason: failure };
    if (room.at() <= now()) return undefined;
    return { brief: `at most ${atMost.words}`, reason: `--at-most ${atMost.words} allows no more` };
  };
  const noteDelay = () => {
    const delay = findDelay();
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
      gathering.isFirst = time - lastAt >= group;
      lastAt = time;
      if (gathering.lines === 0) dueAt = time + group;
      addLine(gathering, line, wallClock());
      if (gathering.isFirst) close();
    },
    /** The text that may go now. No other goes before `finish` gets the result of this one. */
    nextText: (): Notice | undefined => {
      if (now() >= dueAt) close();
      if (isInFlight || waiting === undefined || noteDelay()) return undefined;
      const notice = { batch: waiting, delays };
      isInFlight = true;
      waiting = undefined;
      delays = new Set();
      return notice;
    },
    finish: (notice: Notice, result: TextResult): void => {
      isInFlight = false;
      if (result.kind === "counted") room.takeOne();
      if (result.kind !== "retry" && result.kind !== "full") {
        failures = 0;
        retryAt = -Infinity;
        return;
      }
      waiting = waiting === undefined ? notice.batch : joined(notice.batch, waiting);
      delays = new Set([...notice.delays, ...delays]);
      if (result.kind === "full") {
        room.leaveToOthers(result.ms);
        noteDelay();
        return;
      }
      delays.add(notSent);
      failure = result.reason;
      retryAt = now() + Math.min(retryMs.longest, retryMs.first * 2 ** failures++);
    },
    /** The time is by `now`; Infinity if only another line changes anything. */
    nextAt: (): number => (isInFlight || waiting === undefined ? dueAt : Math.min(dueAt, readyAt())),
    /** Infinity if the time is not known. */
    nextTextAt: (): number => (isInFlight ? Infinity : Math.max(waiting === undefined ? dueAt : -Infinity, readyAt())),
    /** No more lines come, so the wait after a failure ends, too. */
    end: (): void => {
      close();
      retryAt = -Infinity;
    },
    /** The lines of a text in flight are not among these. */
    remainder: (): Remainder => ({ batch: joined(waiting, gathering), delay: findDelay() }),
  };
}

/** The time from which --at-most allows one more text, by `now`. */
function roomFor(atMost: AtMost, earlierTexts: readonly number[], now: Host["now"]) {
  /** Texts of the last `atMost.timeMs`, the earliest first. */
  const textTimes = [...earlierTexts];
  let othersUntil = -Infinity;
  return {
    at: (): number => {
      while (textTimes[0] !== undefined && textTimes[0] + atMost.timeMs < now()) textTimes.shift();
      const oldest = textTimes.at(-atMost.texts);
      return Math.max(othersUntil, oldest === undefined ? -Infinity : oldest + atMost.timeMs + 1);
    },
    takeOne: (): void => void textTimes.push(now()),
    leaveToOthers: (ms: number): void => void (othersUntil = now() + ms),
  };
}
