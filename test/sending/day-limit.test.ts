import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { dailyLimit } from "../../src/guards/daily-limit.ts";
import type { HoldOfAll } from "../../src/guards/guard.ts";
import { readZone } from "../../src/guards/hours.ts";
import { type FolderSpending, spendingFolder } from "../../src/record/folder/spending-files.ts";
import type { SpentDay } from "../../src/record/spending.ts";
import { machine, ours } from "../files/this-process.ts";
import type { Tally } from "../../src/record/ledger.ts";
import type { RunEntry } from "../../src/record/runs.ts";
import type { SendLimits } from "../../src/sending/limits.ts";
import { until } from "../support/until.ts";
import { temporaryFolder } from "../support/folders.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { begunRun, drafts, sendRun } from "./running.ts";
import { byIndex, refuse, sendNew, serve } from "./service.ts";

const account = "a1b2c3d4";
const noon = Date.parse("2026-11-22T12:00:00Z");
const nextMidnight = Date.parse("2026-11-24T00:00:00Z");
const setting = { credits: 5, source: "SMS_DAILY_CREDITS", zone: readZone("UTC", ""), raise: () => "" };

const charge = accept({ totalCredits: 1 });
const busy = answer(429, undefined, { "retry-after": "60" });

const closed: HoldOfAll = {
  effect: "stop",
  sentence: "closed",
  brief: "closed",
  errorCode: "OUTSIDE_HOURS",
  hint: "",
  until: { at: Infinity, text: "" },
};

/** A day's limit of five credits, by a clock that can be set; `onChange` is called after each change. */
async function limitOfFive(onChange: (day: SpentDay | undefined) => unknown = () => {}) {
  const state = join(temporaryFolder(), "state");
  const clock = { now: noon, isClosed: false };
  const folder = spendingFolder(ours(state), { ...machine, wallClock: () => clock.now });
  const spending: FolderSpending = {
    ...folder,
    change: async (...parts) => {
      await folder.change(...parts);
      await onChange(await folder.latest(account));
    },
  };
  const stop = new AbortController();
  const limit = dailyLimit({ keeper: spending, account, setting: () => setting });
  const course = {
    spending,
    guards: [limit, { rule: undefined, holdAll: () => (clock.isClosed ? closed : undefined) }],
    wallClock: () => clock.now,
    interruption: { stop: stop.signal, leave: new AbortController().signal },
  };
  return { clock, course, stop, today: () => folder.latest(account), file: join(state, "spending", `${account}.json`) };
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
    expect(await today()).toMatchObject({ endsAt: nextMidnight, spent: 5, reserved: 0 });
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
    let answers = 0;
    let changes = 0;
    const { course } = await limitOfFive(() =>
      ++changes === 2 ? until(() => answers === 5).then(() => sleep(50)) : {},
    );
    const script = byIndex({ 1: refuse(400) });
    const onRequest: Script = (...request) => void (script(...request), answers++);

    const { tally } = await sendNew(7, onRequest, { ...course, inFlight: 5 });

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
    expect(await today()).toMatchObject({ endsAt: nextMidnight, spent: 1, reserved: 0 });
  });

  it("takes back what was reserved on a day that ends before the request", async () => {
    let changes = 0;
    const { clock, course, today } = await limitOfFive(() => {
      if (++changes === 1) clock.now += 12 * 3_600_000;
    });

    const { tally } = await sendNew(1, charge, course);

    expect(tally).toMatchObject({ accepted: 1 });
    expect(await today()).toMatchObject({ endsAt: nextMidnight, spent: 1, reserved: 0 });
  });

  it("gets back what was granted just before the run is stopped", async () => {
    const { course, stop, today } = await limitOfFive(() => stop.abort("SIGINT"));

    const { ending, server } = await sendNew(5, accept(), course);

    expect({ ending, requests: server.requests.length }).toEqual({ ending: "interrupted", requests: 0 });
    expect(await today()).toMatchObject({ spent: 0, reserved: 0 });
  });

  it("reserves with each intent, and never ahead of it", async () => {
    const ahead: number[] = [];
    let intents = 0;
    const { course, today } = await limitOfFive((day) =>
      ahead.push((day?.spent ?? 0) + (day?.reserved ?? 0) - intents),
    );
    const beforeRecord = async (entry: RunEntry) =>
      void (intents += entry.kind === "intent" ? entry.indexes.length : 0);

    const { tally } = await sendNew(5, charge, { ...course, beforeRecord, perMinute: 1_200 });

    expect(tally).toMatchObject({ accepted: 5 });
    expect(Math.max(...ahead)).toBe(0);
    expect(await today()).toMatchObject({ spent: 5, reserved: 0 });
  });

  it("takes back the intents that are recorded if the day cannot be written", async () => {
    const { course, file } = await limitOfFive();
    const spending: FolderSpending = {
      ...course.spending,
      change: (booking, write) =>
        course.spending.change(booking, async () => {
          await write?.();
          rmSync(dirname(file), { recursive: true });
        }),
    };

    const { ending, tally, server } = await sendNew(5, charge, { ...course, spending });

    expect({ ending, requests: server.requests.length }).toEqual({ ending: "limit", requests: 0 });
    expect(tally).toMatchObject({ uncertain: 0, pending: 5 });
  });

  it("holds up no outcome of a message if it cannot be read", async () => {
    let file = "";
    const spoil = (day: SpentDay | undefined) => void (day?.spent === 1 && file !== "" && writeFileSync(file, "{}"));
    const { course, ...limit } = await limitOfFive(spoil);
    ({ file } = limit);

    const { ending, tally } = await sendNew(5, charge, { ...course, inFlight: 2 });

    expect({ ending, tally }).toMatchObject({ ending: "limit", tally: { accepted: 3, uncertain: 0, pending: 2 } });
  });

  it.each(["signal", "guard"])("keeps nothing reserved if a %s stops the run", async (cause) => {
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
    [
      "closed, what messages in flight did not cost",
      (...request) => void setTimeout(() => accept({ totalCredits: 2 })(...request), 500 * request[2]),
      { first: 2, most: 2 },
      { spent: 4, creditsPerSegment: 2 },
      { accepted: 2, pending: 3 },
    ],
    ["told to pause, what was not sent", busy, { first: 1, most: 4 }, { spent: 0 }, {}],
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

  it.each(["nothing", "its journal is lost"])("reserves nothing if no intent can be recorded: %s", async (cause) => {
    const { course, today } = await limitOfFive();
    const server = await serve(accept());
    const run = await begunRun(drafts(5));
    const beforeRecord = async () => {
      if (cause === "nothing") throw new Error("no space");
      rmSync(run.journal);
      writeFileSync(run.journal, "");
    };

    const { error } = await sendRun(run, server.url, { ...course, beforeRecord }).catch((thrown: unknown) => ({
      error: thrown,
    }));

    expect({ error: error instanceof Error, requests: server.requests.length }).toEqual({ error: true, requests: 0 });
    expect(await today()).toBeUndefined();
  });
});
