import { describe, expect, it } from "vitest";
import { dailyLimit } from "../../src/guards/daily-limit.ts";
import { readZone } from "../../src/guards/hours.ts";
import type { SpendingKeeper, SpentDay } from "../../src/record/spending.ts";
import { openPace } from "../../src/sending/pace.ts";
import { Ledger } from "../../src/record/ledger.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { runWriter } from "../../src/record/run-writer.ts";
import { openGate } from "../../src/guards/gate.ts";
import { deliver } from "../../src/sending/engine.ts";
import { receiptFor } from "../support/scripts.ts";
import { drafts } from "./running.ts";
import { newClock } from "../support/clock.ts";

const minute = 60_000;

async function* planned(count: number): AsyncGenerator<PlannedMessage, void> {
  for (const [index, draft] of drafts(count).entries()) yield { ...draft, index };
}

interface Course {
  readonly perMinute: number;
  /** The record answers after this time, to one question at a time. */
  readonly delay: number;
  readonly answerMs: number;
  readonly hasLimit: boolean;
}

const minutes = 2;

/** Sends for some minutes of a clock of its own, and returns when each request began. */
async function beginnings({ perMinute, delay, answerMs, hasLimit }: Course): Promise<readonly number[]> {
  const { now, sleep, left, advance } = newClock();
  const begun: number[] = [];
  const leave = new AbortController();
  const count = 2 * minutes * perMinute;
  let last: Promise<unknown> = Promise.resolve();
  let day: SpentDay | undefined;
  const answer = () => {
    const answered = last.then(() => sleep(delay));
    last = answered;
    return answered;
  };
  const sending = deliver(
    planned(count),
    { inFlight: { first: 1, most: 64 }, time: { kind: "per-request", ms: 30_000 }, retries: 0, maxCredits: Infinity },
    {
      now,
      wallClock: now,
      sleep,
      random: () => 0.5,
      startRequest: (request, onEnd) => {
        begun.push(now());
        const body = Buffer.from(JSON.stringify(receiptFor((JSON.parse(request.body) as { to: string }).to)));
        void sleep(answerMs).then(() =>
          onEnd({ kind: "answered", answer: { url: "", status: 200, headers: {} }, body }),
        );
        return { hasBegun: () => true, breakOff: () => {} };
      },
      request: ({ to }) => ({ origin: "", path: "", headers: {}, body: JSON.stringify({ to }) }),
      writer: runWriter({
        what: "record",
        write: async () => {
          await answer();
          return { isBooked: true };
        },
        book: async ({ next }, write) => {
          day = next(day, now());
          await write();
        },
      }),
      ledger: new Ledger(new Uint8Array(count).fill(1)),
      gate: openGate(hasLimit ? [limitIn(now)] : [], now),
      pace: openPace(perMinute),
      redact: (text) => text,
      onEvent: () => {},
      interruption: { stop: leave.signal, leave: leave.signal },
    },
  );
  while (now() < minutes * minute) {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    advance(Math.max(1, Math.ceil(left()[0] ?? 1)));
  }
  leave.abort();
  const isOver = await new Promise((resolve) => {
    void sending.then(() => resolve(true));
    const pass = () => {
      advance(1_000);
      if (now() < (minutes + 5) * minute) setImmediate(pass);
      else resolve(false);
    };
    pass();
  });
  expect(isOver).toBe(true);
  return begun.filter((at) => at < minutes * minute);
}

/** A day's limit that holds nothing back. */
function limitIn(now: () => number) {
  const keeper: SpendingKeeper = { now, latest: async () => undefined, change: async () => {} };
  const setting = { credits: 1_000_000, source: "SMS_DAILY_CREDITS", zone: readZone("UTC", ""), raise: () => "" };
  return dailyLimit({ keeper, account: "a1b2c3d4", setting: () => setting });
}

function mostInAMinute(times: readonly number[]): number {
  let from = 0;
  return Math.max(
    ...times.map((time, index) => {
      while ((times[from] ?? 0) <= time - minute) from++;
      return index - from + 1;
    }),
  );
}

/** A busy machine adds to a round trip of 100 ms. */
const delays = [1, 40, 160];

/** A new connection over https and its request are three round trips of 100 ms. */
const answerTimes = [5, 300];

describe("the rate of a run whose record is so far away", () => {
  const courses = [100, 2_000].flatMap((perMinute) =>
    delays.flatMap((delay) =>
      answerTimes.flatMap((answerMs) => [false, true].map((hasLimit) => ({ perMinute, delay, answerMs, hasLimit }))),
    ),
  );

  it.each(courses)(
    "is kept and never passed: $perMinute a minute, $delay ms, answers in $answerMs ms, a day's limit: $hasLimit",
    async (course) => {
      const begun = await beginnings(course);

      expect(mostInAMinute(begun)).toBeLessThanOrEqual(course.perMinute);
      expect(begun.length).toBeGreaterThanOrEqual(0.97 * minutes * course.perMinute);
    },
  );
});
