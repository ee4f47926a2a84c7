import { describe, expect, it } from "vitest";
import { openPace } from "../../src/sending/pace.ts";
import { Ledger } from "../../src/record/ledger.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { runWriter } from "../../src/record/run-writer.ts";
import { openGate } from "../../src/guards/gate.ts";
import { deliver } from "../../src/sending/engine.ts";
import { receiptFor } from "../support/scripts.ts";
import { drafts } from "./running.ts";
import { Clock } from "./small-world/clock.ts";

const minute = 60_000;

/** A new connection over https and its request are three round trips of 100 ms. */
const answerTime = 300;

async function* planned(count: number): AsyncGenerator<PlannedMessage, void> {
  for (const [index, draft] of drafts(count).entries()) yield { ...draft, index };
}

/** Sends for some minutes of a clock of its own, and returns when each request began. `delays` are of each write to the record. */
async function beginnings(perMinute: number, minutes: number, delays: readonly number[]): Promise<readonly number[]> {
  const { now, sleep, left, advance } = clockOfItsOwn();
  const begun: number[] = [];
  const leave = new AbortController();
  const count = 2 * minutes * perMinute;
  let writes = 0;
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
        void sleep(answerTime).then(() => onEnd({ kind: "answered", answer: { status: 200, headers: {} }, body }));
        return { hasBegun: () => true, breakOff: () => {} };
      },
      request: ({ to }) => ({ origin: "", path: "", headers: {}, body: JSON.stringify({ to }) }),
      writer: runWriter({ what: "record", write: () => sleep(delays[writes++ % delays.length] ?? 0) }),
      ledger: new Ledger(new Uint8Array(count).fill(1)),
      gate: openGate([], now),
      pace: openPace(perMinute),
      redact: (text) => text,
      onEvent: () => {},
      interruption: { stop: leave.signal, leave: leave.signal },
    },
  );
  while (now() < minutes * minute) {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    advance(Math.max(1, Math.ceil(left(-1)[0] ?? 1)));
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

function clockOfItsOwn() {
  const clock = new Clock();
  return { now: clock.now, sleep: clock.sleep, left: clock.left.bind(clock), advance: clock.advance.bind(clock) };
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

describe("the rate of a run whose record is written in so many milliseconds", () => {
  it.each([100, 2_000].flatMap((perMinute) => [1, 40, 100].map((delay) => ({ perMinute, delay }))))(
    "is kept and never passed: $perMinute a minute, $delay ms",
    async ({ perMinute, delay }) => {
      const begun = await beginnings(perMinute, 2, [delay]);
      expect(mostInAMinute(begun)).toBeLessThanOrEqual(perMinute);
      expect(begun.length).toBeGreaterThanOrEqual(0.97 * 2 * perMinute);
    },
  );
});
