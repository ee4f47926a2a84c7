import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dailyLimit } from "../../src/guards/daily-limit.ts";
import type { HoldOfAll } from "../../src/guards/guard.ts";
import { readZone } from "../../src/guards/hours.ts";
import type { SpendingKeeper, SpentDay } from "../../src/record/spending.ts";
import { openAt } from "../record/place.ts";
import type { Tally } from "../../src/record/ledger.ts";
import type { RunEntry } from "../../src/record/runs.ts";
import type { SendEvent, SendLimits } from "../../src/sending/engine.ts";
import { until } from "../support/until.ts";
import { temporaryFolder } from "../support/folders.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { byIndex, refuse, sendNew } from "./service.ts";

const account = "a1b2c3d4";
const noon = Date.parse("2026-11-22T12:00:00Z");
const terms = { credits: 5, source: "SMS_DAILY_CREDITS", zone: readZone("UTC", ""), raise: () => "" };

const charge = accept({ totalCredits: 1 });
const busy = answer(429, undefined, { "retry-after": "60" });

const closed: HoldOfAll = {
  guard: "hours",
  effect: "stop",
  reason: "closed",
  brief: "closed",
  errorCode: "OUTSIDE_HOURS",
  hint: "",
  until: { at: Infinity, text: "" },
};

/** A day's limit of five credits, by a clock that can be set; `onChange` is called after each change. */
async function limitOfFive(onChange: (day: SpentDay) => unknown = () => {}) {
  const state = join(temporaryFolder(), "state");
  const spending = await (await openAt(state).account()).spending();
  const keeper: SpendingKeeper = {
    ...spending,
    change: async (...parts) => {
      const changed = await spending.change(...parts);
      await onChange(changed.day);
      return changed;
    },
  };
  const clock = { now: noon, isClosed: false };
  const stop = new AbortController();
  const limit = dailyLimit({ keeper, account, terms: () => terms, now: () => clock.now });
  const course = {
    guards: [limit, { rule: undefined, holdAll: () => (clock.isClosed ? closed : undefined) }],
    wallClock: () => clock.now,
    interruption: { stop: stop.signal, leave: new AbortController().signal },
  };
  const today = () => spending.latest(account);
  return { clock, course, stop, today, file: join(state, "spending", `${account}.json`) };
}

describe("a day's limit", () => {
  it("stops a run, and begins anew at midnight while the run goes on", async () => {
    const { clock, course, today } = await limitOfFive();
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
    const second = byIndex({ 1: refuse(400) });
    const script: Script = (...request) =>
      request[2] === 0 ? charge(...request) : void setTimeout(() => second(...request), 100);

    const ended = await sendNew(10, script, { ...course, inFlight: 5 });

    expect(ended).toMatchObject({ ending: "limit", tally: { accepted: 5, rejected: 1, pending: 4 } });
  });

  it("asks again if messages ended while it was refused, since they may have made room", async () => {
    let ends = 0;
    let changes = 0;
    const { course } = await limitOfFive(() => (++changes === 2 ? until(() => ends === 5) : undefined));
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

    const { tally } = await sendNew(1, charge, { ...course, beforeRecord });

    expect(tally).toMatchObject({ accepted: 1 });
    expect(await today()).toMatchObject({ date: "2026-11-23", spent: 1, reserved: 0 });
  });

  it("gets back what was granted just before the run is stopped", async () => {
    const { course, stop, today } = await limitOfFive(() => stop.abort("SIGINT"));

    const { ending, server } = await sendNew(5, accept(), course);

    expect({ ending, requests: server.requests.length }).toEqual({ ending: "interrupted", requests: 0 });
    expect(await today()).toMatchObject({ spent: 0, reserved: 0 });
  });

  it("has no more reserved ahead than what may begin in 1.5 s, and each intent follows its reservation", async () => {
    const reserved: number[] = [];
    const { course } = await limitOfFive((day) => reserved.push(day.spent + day.reserved));
    let intents = 0;
    const beforeRecord = async (entry: RunEntry) => {
      if (entry.kind === "intent") intents += entry.indexes.length;
      expect(reserved.at(-1)).toBeGreaterThanOrEqual(intents);
      expect(reserved.at(-1)).toBeLessThanOrEqual(intents + 3);
    };

    const { tally } = await sendNew(6, charge, { ...course, beforeRecord, perMinute: 120 });

    const ends = { tally, first: reserved[0], last: reserved.at(-1) };
    expect(ends).toMatchObject({ tally: { accepted: 5 }, first: 3, last: 5 });
  });

  it.each(["signal", "guard"])("gets back what is reserved ahead if a %s stops the run", async (cause) => {
    const { clock, course, stop, today } = await limitOfFive();
    const script: Script = (...request) => {
      clock.isClosed = cause === "guard";
      if (cause === "signal") stop.abort("SIGINT");
      charge(...request);
    };

    const { ending, tally } = await sendNew(5, script, { ...course, inFlight: { first: 1, most: 4 } });

    expect({ ending, tally }).toMatchObject({
      ending: cause === "guard" ? "limit" : "interrupted",
      tally: { accepted: 1, pending: 4 },
    });
    expect(await today()).toMatchObject({ spent: 1, reserved: 0 });
  });

  it.each<[string, Script, SendLimits["inFlight"], Partial<SpentDay>, Partial<Tally>]>([
    ["closed, what is reserved ahead", charge, { first: 1, most: 4 }, { spent: 1 }, { accepted: 1, pending: 4 }],
    [
      "closed, what messages in flight did not cost",
      (...request) => void setTimeout(() => accept({ totalCredits: 2 })(...request), 500 * request[2]),
      { first: 2, most: 2 },
      { spent: 4, creditsPerSegment: 2 },
      { accepted: 2, pending: 3 },
    ],
    ["told to pause, also what was not sent", busy, { first: 1, most: 4 }, { date: "2026-11-22", spent: 0 }, {}],
  ])("gets back, while the run waits since it is %s", async (_, script, inFlight, day, tally) => {
    const { clock, course, stop, today } = await limitOfFive();
    const onRequest: Script = (...request) => {
      clock.isClosed = script !== busy;
      script(...request);
    };

    const sending = sendNew(5, onRequest, { ...course, waitsOutHolds: true, inFlight });
    await expect.poll(today, { timeout: 10_000 }).toMatchObject({ reserved: 0, ...day });
    stop.abort("SIGINT");

    expect(await sending).toMatchObject({ ending: "interrupted", tally });
  });

  it("gets back what was reserved if the intent cannot be recorded", async () => {
    const { course, today } = await limitOfFive();
    const beforeRecord = () => Promise.reject(new Error("no space"));

    const { error, server } = await sendNew(5, accept(), { ...course, beforeRecord });

    expect({ error, requests: server.requests.length }).toMatchObject({ error: { message: "no space" }, requests: 0 });
    expect(await today()).toMatchObject({ spent: 0, reserved: 0 });
  });
});
