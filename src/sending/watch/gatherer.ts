import { type Batch, Gathering, joined } from "./batch.ts";

/** An instant by both clocks: intervals go by `now`, and what a text says goes by `wall`. Milliseconds since 1970. */
export interface Instant {
  /** Never goes back. */
  readonly now: number;
  readonly wall: number;
}

export interface Terms {
  readonly recipients: number;
  /** How long lines are gathered. Milliseconds. */
  readonly group: number;
  /** The most texts to a recipient in any `time` milliseconds. */
  readonly atMost: { readonly texts: number; readonly time: number };
  /** After how long without a line a text says so. Milliseconds. */
  readonly quietAfter?: number;
  /** Whether a text may go at this time by the clock on the wall. */
  readonly isOpen: (wall: number) => boolean;
  /** When each recipient was told by an earlier watch, the earliest first, by `now`. */
  readonly toldBefore?: readonly (readonly number[])[];
}

/** Why lines had to wait for longer than they were gathered. */
export type Delay = "limit" | "hours" | "unsent";

/** What one text to one recipient tells. */
export interface Notice {
  readonly recipient: number;
  /** The lines; undefined if it says only that nothing comes any more. */
  readonly batch: Batch | undefined;
  /** Whether the batch is one line that is told as it comes. */
  readonly isFirst: boolean;
  readonly delays: ReadonlySet<Delay>;
  /** When the last line came, if nothing has come for so long. By the clock on the wall. */
  readonly quietSince: number | undefined;
}

/** What became of a text: `told` may be on the phone, `unsent` is tried again, and `refused` is let go. */
export type Result = "told" | "unsent" | "refused";

/** Lines that no text has told, and why the next text cannot go now. */
interface Untold {
  readonly batch: Batch;
  readonly delay: Delay | undefined;
}

interface Recipient {
  /** When each text of the last `atMost.time` was settled. */
  told: number[];
  inFlight: boolean;
  waiting: Batch | undefined;
  /** Since when lines wait for their text. */
  since: number;
  isFirst: boolean;
  delays: Set<Delay>;
  quietSince: number | undefined;
  retryAt: number;
  failures: number;
}

/** How long after a failure the next text is tried; each further failure doubles it up to the longest. Milliseconds. */
const wait = { first: 30_000, longest: 8 * 60_000 };

/** A person does not notice a shorter wait. Milliseconds. */
const noticeable = 1_000;

/** How often closed hours are looked at: the clock on the wall may jump. Milliseconds. */
const lookAtHours = 15_000;

/** Gathers lines for texts to some recipients. What it knows of time is what it is told. */
export function gather({ recipients: count, group, atMost, quietAfter = Infinity, isOpen, toldBefore = [] }: Terms) {
  const recipients = Array.from({ length: count }, (_, index): Recipient => ({
    told: [...(toldBefore[index] ?? [])],
    inFlight: false,
    waiting: undefined,
    since: Infinity,
    isFirst: false,
    delays: new Set(),
    quietSince: undefined,
    retryAt: -Infinity,
    failures: 0,
  }));
  let gathering = new Gathering();
  let dueAt = Infinity;
  let last: Instant | undefined;
  let isQuiet = true;

  /** When the window has room for another text. */
  const roomAt = ({ told }: Recipient, now: number) => {
    while (told[0] !== undefined && told[0] + atMost.time < now) told.shift();
    const oldest = told.at(-atMost.texts);
    return oldest === undefined ? -Infinity : oldest + atMost.time + 1;
  };
  const quietAt = () => (isQuiet || last === undefined ? Infinity : last.now + quietAfter);
  const delayOf = (recipient: Recipient, { now, wall }: Instant): Delay | undefined => {
    if (!isOpen(wall)) return "hours";
    if (recipient.retryAt > now) return "unsent";
    return roomAt(recipient, now) > now ? "limit" : undefined;
  };
  /** Gives lines to all recipients. Those who wait for the same lines go on to share them. */
  const give = (batch: Batch, isFirst: boolean, at: Instant) => {
    const joins = new Map<Batch, Batch>();
    for (const recipient of recipients) {
      const { waiting } = recipient;
      const all = waiting === undefined ? batch : (joins.get(waiting) ?? joined(waiting, batch));
      if (waiting !== undefined) joins.set(waiting, all);
      const delay = delayOf(recipient, at);
      if (delay !== undefined) recipient.delays.add(delay);
      recipient.isFirst = isFirst && waiting === undefined && delay === undefined;
      recipient.waiting = all;
      recipient.since = Math.min(recipient.since, at.now);
    }
  };
  const close = (at: Instant) => {
    dueAt = Infinity;
    if (gathering.lines === 0) return;
    const batch = gathering;
    gathering = new Gathering();
    give(batch, false, at);
  };
  /** Does what was due by then. */
  const advance = (at: Instant) => {
    if (at.now >= dueAt) close(at);
    if (isQuiet || last === undefined || at.now < last.now + quietAfter) return;
    isQuiet = true;
    close(at);
    for (const recipient of recipients) recipient.quietSince = last.wall;
  };
  return {
    add: (line: string, at: Instant): void => {
      advance(at);
      const isFirst = last === undefined || at.now - last.now >= group;
      last = at;
      if (isQuiet) {
        isQuiet = false;
        for (const recipient of recipients) recipient.quietSince = undefined;
      }
      if (gathering.lines === 0) dueAt = at.now + group;
      gathering.add(line, at.wall);
      if (!isFirst) return;
      const first = gathering;
      gathering = new Gathering();
      dueAt = Infinity;
      give(first, true, at);
    },
    /** Returns the texts that go now. What becomes of each is told to `settle`, and until then its recipient gets no other. */
    take: (at: Instant): readonly Notice[] => {
      advance(at);
      return recipients.flatMap((recipient, index): readonly Notice[] => {
        const { inFlight, waiting: batch, isFirst, quietSince, since } = recipient;
        if (inFlight || (batch ?? quietSince) === undefined) return [];
        const delay = delayOf(recipient, at);
        if (delay !== undefined) {
          if (batch !== undefined) recipient.delays.add(delay);
          recipient.isFirst = false;
          return [];
        }
        const delays: ReadonlySet<Delay> = at.now - since < noticeable ? new Set() : recipient.delays;
        recipient.inFlight = true;
        recipient.waiting = undefined;
        recipient.since = Infinity;
        recipient.isFirst = false;
        recipient.delays = new Set();
        recipient.quietSince = undefined;
        return [{ recipient: index, batch, isFirst, delays, quietSince }];
      });
    },
    settle: ({ recipient: index, batch, quietSince, delays }: Notice, result: Result, { now }: Instant): void => {
      const recipient = recipients[index];
      if (recipient === undefined) return;
      recipient.inFlight = false;
      if (result !== "unsent") {
        if (result === "told") recipient.told.push(now);
        recipient.failures = 0;
        recipient.retryAt = -Infinity;
        return;
      }
      const { waiting } = recipient;
      recipient.waiting = batch === undefined || waiting === undefined ? (batch ?? waiting) : joined(batch, waiting);
      recipient.isFirst = false;
      if (isQuiet) recipient.quietSince ??= quietSince;
      recipient.delays = new Set([...delays, ...recipient.delays]);
      if (batch !== undefined) recipient.delays.add("unsent");
      recipient.since = -Infinity;
      recipient.retryAt = now + Math.min(wait.longest, wait.first * 2 ** recipient.failures++);
    },
    /** When `take` may have a text next, by `now`; Infinity if that takes another line. */
    nextAt: ({ now, wall }: Instant): number => {
      const open = isOpen(wall) ? now : now + lookAtHours;
      const ready = recipients
        .filter(({ inFlight, waiting, quietSince }) => !inFlight && (waiting ?? quietSince) !== undefined)
        .map((recipient) => Math.max(open, recipient.retryAt, roomAt(recipient, now)));
      return Math.min(dueAt, quietAt(), ...ready);
    },
    /** Ends the gathering before its time, and the wait after a failure: no more lines come. */
    end: (at: Instant): void => {
      advance(at);
      close(at);
      for (const recipient of recipients) recipient.retryAt = -Infinity;
    },
    /** What no text has told a recipient yet, and what stands in the way; what is on its way counts as told. */
    untold: (index: number, at: Instant): Untold | undefined => {
      const recipient = recipients[index];
      const waiting = recipient?.waiting;
      if (recipient === undefined || (waiting === undefined && gathering.lines === 0)) return undefined;
      const batch =
        gathering.lines === 0 || waiting === undefined ? (waiting ?? gathering) : joined(waiting, gathering);
      return { batch, delay: delayOf(recipient, at) };
    },
    /**
     * How many kinds are gathered, how many more texts each recipient can be sent now, at least, and when the next text goes if
     * no other line comes, by `now`; Infinity if that is not known.
     */
    state: ({ now, wall }: Instant): { readonly kinds: number; readonly room: number; readonly next: number } => {
      const rooms = recipients.map((recipient) => {
        const isFull = roomAt(recipient, now) > now;
        return isFull ? 0 : Math.max(0, atMost.texts - recipient.told.length - Number(recipient.inFlight));
      });
      const waiting = recipients.map((recipient) => recipient.waiting?.kinds.size ?? 0);
      const times = recipients
        .filter(({ inFlight }) => !inFlight)
        .map((recipient) => {
          const isDue = (recipient.waiting ?? recipient.quietSince) !== undefined;
          return Math.max(isDue ? now : Math.min(dueAt, quietAt()), recipient.retryAt, roomAt(recipient, now));
        });
      const next = isOpen(wall) ? Math.min(...times) : Infinity;
      return { kinds: Math.max(gathering.kinds.size, ...waiting), room: Math.min(...rooms), next };
    },
  };
}
