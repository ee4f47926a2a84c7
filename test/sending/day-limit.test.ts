import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dailyLimit } from "../../src/guards/daily-limit.ts";
import { readZone } from "../../src/guards/hours.ts";
import type { SpendingKeeper } from "../../src/record/spending.ts";
import { openAt } from "../record/place.ts";
import type { RunEntry } from "../../src/record/runs.ts";
import type { SendEvent } from "../../src/sending/engine.ts";
import { until } from "../support/until.ts";
import { temporaryFolder } from "../support/folders.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { byIndex, refuse, sendNew } from "./service.ts";

const account = "a1b2c3d4";
const noon = Date.parse("2026-11-22T12:00:00Z");
const terms = { credits: 5, source: "SMS_DAILY_CREDITS", zone: readZone("UTC", ""), raise: () => "" };

const busy = answer(429, undefined, { "retry-after": "60" });

const closed = {
  guard: "hours",
  effect: "stop",
  reason: "closed",
  brief: "closed",
  errorCode: "OUTSIDE_HOURS",
  hint: "",
} as const;

/** A day's limit of five credits, by a clock that can be set; `change` is what its keeper does differently. */
async function limitOfFive(change: (keeper: SpendingKeeper) => Partial<SpendingKeeper> = () => ({})) {
  const state = join(temporaryFolder(), "state");
  const keeper = await (await openAt(state).account()).spending();
  const clock = { now: noon };
  const limited = { keeper: { ...keeper, ...change(keeper) }, account, terms: () => terms, now: () => clock.now };
  const course = { guards: [dailyLimit(limited)], wallClock: () => clock.now };
  const today = () => keeper.latest(account);
  return { clock, course, today, file: join(state, "spending", `${account}.json`) };
}

describe("a day's limit", () => {
  it("stops a run, and begins anew at midnight while the run goes on", async () => {
    const { clock, course, today } = await limitOfFive();
    const charge = accept({ totalCredits: 1 });
    const script: Script = (...request) => {
      if (request[2] === 2) clock.now += 12 * 3_600_000;
      charge(...request);
    };

    const { ending, tally } = await sendNew(10, script, { ...course, inFlight: 1 });

    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { accepted: 8, pending: 2 } });
    expect(await today()).toMatchObject({ date: "2026-11-23", spent: 5, reserved: 0 });
  });

  it("lets nothing go once it cannot be read", async () => {
    const { course, file } = await limitOfFive();
    const script: Script = (...request) => {
      if (request[2] === 1) writeFileSync(file, "{}\n");
      accept()(...request);
    };

    const ended = await sendNew(5, script, { ...course, inFlight: 1 });

    expect(ended).toMatchObject({ ending: "limit", tally: { accepted: 2, pending: 3 } });
    expect(ended.events).toContainEqual(
      expect.objectContaining({ failure: expect.objectContaining({ errorCode: "SPENDING_DAMAGED" }) as unknown }),
    );
  });

  it("leaves the room of what is refused to others, and awaits it although nothing is left meanwhile", async () => {
    const { course } = await limitOfFive();
    const [first, second] = [accept({ totalCredits: 1 }), byIndex({ 1: refuse(400) })];
    const ended = await sendNew(
      10,
      (...request) => (request[2] === 0 ? first(...request) : void setTimeout(() => second(...request), 100)),
      { ...course, inFlight: 5 },
    );
    expect(ended).toMatchObject({ ending: "limit", tally: { accepted: 5, rejected: 1, pending: 4 } });
  });

  it("asks again if messages ended while it was refused, since they may have made room", async () => {
    let ends = 0;
    let changes = 0;
    const { course } = await limitOfFive((keeper) => ({
      change: async (...change) => {
        const changed = await keeper.change(...change);
        if (++changes === 2) await until(() => ends === 5);
        return changed;
      },
    }));
    const onEvent = ({ kind }: SendEvent) => void (ends += kind === "settled" ? 1 : 0);

    const { tally } = await sendNew(7, byIndex({ 1: refuse(400) }), { ...course, onEvent, inFlight: 5 });

    expect(tally).toMatchObject({ accepted: 5, rejected: 1, pending: 1 });
  });

  it("counts a message on the day on which its request begins", async () => {
    const { clock, course, today } = await limitOfFive();
    let isNight = false;
    const beforeRecord = async () => {
      if (!isNight) clock.now += 12 * 3_600_000;
      isNight = true;
    };

    const { tally } = await sendNew(1, accept({ totalCredits: 1 }), { ...course, beforeRecord });

    expect(tally).toMatchObject({ accepted: 1 });
    expect(await today()).toMatchObject({ date: "2026-11-23", spent: 1, reserved: 0 });
  });

  it("gets back what was granted just before the run is stopped", async () => {
    const stop = new AbortController();
    const { course, today } = await limitOfFive((keeper) => ({
      change: async (...change) => {
        const reserved = await keeper.change(...change);
        stop.abort("SIGINT");
        return reserved;
      },
    }));
    const interruption = { stop: stop.signal, leave: new AbortController().signal };

    const { ending, server } = await sendNew(5, accept(), { ...course, interruption });

    expect({ ending, requests: server.requests.length }).toEqual({ ending: "interrupted", requests: 0 });
    expect(await today()).toMatchObject({ spent: 0, reserved: 0 });
  });

  it("has no more reserved ahead than what may begin in 1.5 s, and each intent follows its reservation", async () => {
    const reserved: number[] = [];
    const { course } = await limitOfFive((keeper) => ({
      change: async (...change) => {
        const changed = await keeper.change(...change);
        reserved.push(changed.day.spent + changed.day.reserved);
        return changed;
      },
    }));
    let intents = 0;
    const beforeRecord = async (entry: RunEntry) => {
      if (entry.kind === "intent") intents += entry.indexes.length;
      expect(reserved.at(-1)).toBeGreaterThanOrEqual(intents);
      expect(reserved.at(-1)).toBeLessThanOrEqual(intents + 3);
    };

    const { tally } = await sendNew(6, accept({ totalCredits: 1 }), { ...course, beforeRecord, perMinute: 120 });

    expect({ tally, first: reserved[0], last: reserved.at(-1) }).toMatchObject({
      tally: { accepted: 5 },
      first: 3,
      last: 5,
    });
  });

  it.each(["signal", "guard"])("gets back what is reserved ahead if a %s stops the run", async (cause) => {
    const stop = new AbortController();
    let isClosed = false;
    const { course, today } = await limitOfFive();
    const closing = { holdAll: () => (isClosed ? closed : undefined) };
    const interruption = { stop: stop.signal, leave: new AbortController().signal };
    const script: Script = (...request) => {
      isClosed = cause === "guard";
      if (cause === "signal") stop.abort("SIGINT");
      accept({ totalCredits: 1 })(...request);
    };

    const guards = [...course.guards, closing];
    const { ending, tally } = await sendNew(5, script, {
      ...course,
      guards,
      interruption,
      inFlight: { first: 1, most: 4 },
    });

    expect({ ending, tally }).toMatchObject({
      ending: cause === "guard" ? "limit" : "interrupted",
      tally: { accepted: 1, pending: 4 },
    });
    expect(await today()).toMatchObject({ spent: 1, reserved: 0 });
  });

  it("gets back what is reserved ahead while the run waits for the opening", async () => {
    const stop = new AbortController();
    let isClosed = false;
    const { course, today } = await limitOfFive();
    const closing = { holdAll: () => (isClosed ? { ...closed, until: { at: Infinity, text: "" } } : undefined) };
    const interruption = { stop: stop.signal, leave: new AbortController().signal };
    const script: Script = (...request) => {
      isClosed = true;
      accept({ totalCredits: 1 })(...request);
    };

    const guards = [...course.guards, closing];
    const waiting = { ...course, guards, interruption, waitsOutHolds: true, inFlight: { first: 1, most: 4 } };
    const sending = sendNew(5, script, waiting);
    await expect.poll(today, { timeout: 10_000 }).toMatchObject({ spent: 1, reserved: 0 });
    stop.abort("SIGINT");

    expect(await sending).toMatchObject({ ending: "interrupted", tally: { accepted: 1, pending: 4 } });
  });

  it("has on record, while the run waits for the opening, what messages in flight have cost", async () => {
    const stop = new AbortController();
    let isClosed = false;
    const { course, today } = await limitOfFive();
    const closing = { holdAll: () => (isClosed ? { ...closed, until: { at: Infinity, text: "" } } : undefined) };
    const interruption = { stop: stop.signal, leave: new AbortController().signal };
    const script: Script = (...request) => {
      isClosed = true;
      setTimeout(() => accept({ totalCredits: 2 })(...request), 500 * request[2]);
    };

    const guards = [...course.guards, closing];
    const sending = sendNew(5, script, { ...course, guards, interruption, waitsOutHolds: true, inFlight: 2 });
    await expect.poll(today, { timeout: 10_000 }).toMatchObject({ spent: 4, reserved: 0, creditsPerSegment: 2 });
    stop.abort("SIGINT");

    expect(await sending).toMatchObject({ ending: "interrupted", tally: { accepted: 2, pending: 3 } });
  });

  it("gets back, while the run pauses, what was not sent and what is reserved ahead", async () => {
    const stop = new AbortController();
    const { course, today } = await limitOfFive();
    const interruption = { stop: stop.signal, leave: new AbortController().signal };

    const sending = sendNew(5, busy, { ...course, interruption, inFlight: { first: 1, most: 4 } });
    await expect.poll(today, { timeout: 10_000 }).toMatchObject({ date: "2026-11-22", spent: 0, reserved: 0 });
    stop.abort("SIGINT");

    expect(await sending).toMatchObject({ ending: "interrupted" });
  });

  it("gets back what was reserved if the intent cannot be recorded", async () => {
    const { course, today } = await limitOfFive();
    const { error, server } = await sendNew(5, accept(), {
      ...course,
      beforeRecord: () => Promise.reject(new Error("no space")),
    });
    expect({ error, requests: server.requests.length }).toMatchObject({ error: { message: "no space" }, requests: 0 });
    expect(await today()).toMatchObject({ spent: 0, reserved: 0 });
  });
});
