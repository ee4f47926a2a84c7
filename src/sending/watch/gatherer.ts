import type { AtMost } from "../options.ts";
import { type Batch, Gathering, joined } from "./batch.ts";

/** An instant by both clocks, in milliseconds since 1970: intervals go by `now`, and what a text says goes by `wall`. */
export interface Instant {
  /** Never goes back. */
  readonly now: number;
  readonly wall: number;
}

export interface Terms {
  readonly recipients: readonly string[];
  /** How long lines are gathered. */
  readonly groupMs: number;
  /** The most texts to each recipient. */
  readonly atMost: AtMost;
  /** Why no text may go at this time by the clock on the wall. */
  readonly holdAt: (wall: number) => Delay | undefined;
  /** When each recipient was told by an earlier watch, the earliest first, by `now`. */
  readonly toldBefore?: readonly (readonly number[])[];
}

/** Why lines wait for longer than they are gathered. */
export interface Delay {
  /** For a text that comes late. */
  readonly brief: string;
  /** For a person who sees that lines were not sent. */
  readonly reason: string;
}

/** What one text to one recipient tells. */
export interface Notice {
  readonly to: string;
  readonly batch: Batch;
  /** Briefs of what its lines had to wait for. */
  readonly delays: ReadonlySet<string>;
}

/** What became of a text: `told` may be on the phone, `unsent` is tried again, and `refused` is let go. */
export type Result = { readonly kind: "told" | "refused" } | { readonly kind: "unsent"; readonly reason: string };

/** Lines that no text has told, and what the next text waits for. */
export interface Untold {
  readonly to: string;
  readonly batch: Batch;
  readonly delay: Delay | undefined;
}

interface Recipient {
  readonly to: string;
  /** When each text of the last `atMost.timeMs` was settled. */
  readonly told: number[];
  isInFlight: boolean;
  waiting: Batch | undefined;
  delays: Set<string>;
  failures: number;
  /** Why the last text was not sent. */
  failure: string;
  retryAt: number;
}

/** How long after a failure the next text is tried; each further failure doubles it up to the longest. */
const retryMs = { first: 30_000, longest: 8 * 60_000 };

/** How often a hold is looked at: the clock on the wall may jump. */
const lookMs = 15_000;

/** Gathers lines for texts to some recipients. What it knows of time is what it is told. */
export function gather({ recipients: numbers, groupMs, atMost, holdAt, toldBefore = [] }: Terms) {
  const recipients = numbers.map((to, index): Recipient => ({
    to,
    told: [...(toldBefore[index] ?? [])],
    isInFlight: false,
    waiting: undefined,
    delays: new Set(),
    failures: 0,
    failure: "",
    retryAt: -Infinity,
  }));
  let gathering = new Gathering();
  let dueAt = Infinity;
  let lastAt = -Infinity;

  /** When the limit has room for another text. */
  const roomAt = ({ told }: Recipient, now: number) => {
    while (told[0] !== undefined && told[0] + atMost.timeMs < now) told.shift();
    const oldest = told.at(-atMost.texts);
    return oldest === undefined ? -Infinity : oldest + atMost.timeMs + 1;
  };
  const delayOf = (recipient: Recipient, { now, wall }: Instant): Delay | undefined => {
    const hold = holdAt(wall);
    if (hold !== undefined) return hold;
    if (recipient.retryAt > now) return { brief: "not sent before", reason: recipient.failure };
    const { words } = atMost;
    return roomAt(recipient, now) > now
      ? { brief: `at most ${words}`, reason: `--at-most ${words} allows no more` }
      : undefined;
  };
  const readyAt = (recipient: Recipient, { now, wall }: Instant) =>
    Math.max(holdAt(wall) === undefined ? now : now + lookMs, recipient.retryAt, roomAt(recipient, now));
  /** Gives what is gathered to all recipients. Those who wait for the same lines go on to share them. */
  const give = (at: Instant) => {
    dueAt = Infinity;
    if (gathering.lines === 0) return;
    const batch = gathering;
    gathering = new Gathering();
    const joins = new Map<Batch | undefined, Batch>([[undefined, batch]]);
    for (const recipient of recipients) {
      const { waiting } = recipient;
      const all = joins.get(waiting) ?? joined(waiting ?? batch, batch);
      joins.set(waiting, all);
      const delay = delayOf(recipient, at);
      if (delay !== undefined) recipient.delays.add(delay.brief);
      recipient.waiting = all;
    }
  };
  const advance = (at: Instant) => {
    if (at.now >= dueAt) give(at);
  };
  return {
    add: (line: string, at: Instant): void => {
      advance(at);
      gathering.isFirst = at.now - lastAt >= groupMs;
      lastAt = at.now;
      if (gathering.lines === 0) dueAt = at.now + groupMs;
      gathering.add(line, at.wall);
      if (gathering.isFirst) give(at);
    },
    /** Returns the texts that go now. What becomes of each is told to `settle`, and until then its recipient gets no other. */
    take: (at: Instant): readonly Notice[] => {
      advance(at);
      return recipients.flatMap((recipient): readonly Notice[] => {
        const { to, isInFlight, waiting: batch, delays } = recipient;
        if (isInFlight || batch === undefined) return [];
        const delay = delayOf(recipient, at);
        if (delay !== undefined) {
          delays.add(delay.brief);
          return [];
        }
        recipient.isInFlight = true;
        recipient.waiting = undefined;
        recipient.delays = new Set();
        return [{ to, batch, delays }];
      });
    },
    settle: ({ to, batch, delays }: Notice, result: Result, { now }: Instant): void => {
      const recipient = recipients.find((one) => one.to === to);
      if (recipient === undefined) return;
      recipient.isInFlight = false;
      if (result.kind !== "unsent") {
        if (result.kind === "told") recipient.told.push(now);
        recipient.failures = 0;
        recipient.retryAt = -Infinity;
        return;
      }
      const { waiting } = recipient;
      recipient.waiting = waiting === undefined ? batch : joined(batch, waiting);
      recipient.delays = new Set([...delays, ...recipient.delays, "not sent before"]);
      recipient.failure = result.reason;
      recipient.retryAt = now + Math.min(retryMs.longest, retryMs.first * 2 ** recipient.failures++);
    },
    /** When to look again, by `now`; Infinity if only another line changes anything. */
    nextAt: (at: Instant): number => {
      const waiting = recipients.filter((recipient) => !recipient.isInFlight && recipient.waiting !== undefined);
      return Math.min(dueAt, ...waiting.map((recipient) => readyAt(recipient, at)));
    },
    /** Ends the gathering before its time, and the wait after a failure: no more lines come. */
    end: (at: Instant): void => {
      give(at);
      for (const recipient of recipients) recipient.retryAt = -Infinity;
    },
    /** What no text has told yet; what is on its way counts as told. */
    untold: (at: Instant): readonly Untold[] =>
      recipients.flatMap((recipient) => {
        const { to, waiting } = recipient;
        const batch = waiting === undefined ? gathering : joined(waiting, gathering);
        return batch.lines === 0 ? [] : [{ to, batch, delay: delayOf(recipient, at) }];
      }),
    /** How many kinds wait to be told, and when the next text goes if no other line comes. */
    state: (at: Instant): { readonly kinds: number; readonly nextTextAt: number } => ({
      kinds: Math.max(gathering.kinds.size, ...recipients.map(({ waiting }) => waiting?.kinds.size ?? 0)),
      nextTextAt: Math.min(
        ...recipients
          .filter(({ isInFlight }) => !isInFlight)
          .map((recipient) => Math.max(recipient.waiting === undefined ? dueAt : at.now, readyAt(recipient, at))),
      ),
    }),
  };
}
