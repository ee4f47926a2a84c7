import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { usageError } from "../../src/errors.ts";
import type { Reservations } from "../../src/guards/guard.ts";
import { dailyLimit, dayOn } from "../../src/guards/daily-limit.ts";
import { cutOffOutcome } from "../../src/record/journal-entry.ts";
import { endOfDate, localDate, readZone } from "../../src/guards/hours.ts";
import { openAt } from "../record/place.ts";
import { accepted } from "../record/samples.ts";
import { temporaryFolder } from "../support/folders.ts";

const hour = 3_600_000;
const messages = [1, 1, 1, 1];
const ofMessages = (first: number, longest = first) => ({ first, longest, segments: longest, exposure: 0 });
/** Opens a limit of three credits at a time of the clock that can be set. */
async function limitAt(start: string) {
  const clock = { now: Date.parse(start) };
  const raise = (credits: number) => `SMS_DAILY_CREDITS=${credits}`;
  const setting = { credits: 3, source: "SMS_DAILY_CREDITS", raise, zone: readZone("Africa/Nairobi", "") };
  const keeper = await openAt(join(temporaryFolder(), "state"), undefined, undefined, () => clock.now).spending();
  const daily = dailyLimit({ keeper, account: "a1b2c3d4", setting: () => setting });
  const { holdPlan, reservations } = daily;
  if (holdPlan === undefined || reservations === undefined) throw new Error("a day's limit reserves");
  return { clock, setting, daily: { ...daily, holdPlan, reservations } };
}

async function reserve(reservations: Reservations, segments: readonly number[]) {
  const reservation = reservations.reserve(segments);
  await reservations.book(reservation);
  return reservation.admission();
}

async function bookRest(reservations: Reservations) {
  const rest = reservations.bookRest();
  if (rest !== undefined) await reservations.book(rest);
}

describe("the end of a day", () => {
  it.each([
    ["Africa/Nairobi", "2026-11-22", "2026-11-22T21:00:00Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-29T22:00:00Z"],
    // Midnight does not exist: the clocks go from 24:00 to 01:00.
    ["America/Santiago", "2026-09-05", "2026-09-06T04:00:00Z"],
    // 23:00 to 24:00 comes twice.
    ["America/Santiago", "2026-04-04", "2026-04-05T04:00:00Z"],
    ["Pacific/Apia", "2011-12-29", "2011-12-30T10:00:00Z"],
  ])("in %s of %s is %s", (name, date, end) => {
    const zone = readZone(name, "");
    const at = endOfDate(zone, date);
    expect(new Date(at).toISOString()).toBe(new Date(end).toISOString());
    expect([localDate(zone, at - 1), localDate(zone, at) > date]).toEqual([date, true]);
  });
});

describe("a day", () => {
  const [noon, midnight] = [Date.parse("2026-11-22T12:00:00Z"), Date.parse("2026-11-23T00:00:00Z")];

  it.each<[string, string, number, number, number]>([
    ["by a clock that went back", "UTC", -11, 9, midnight],
    ["in Auckland, where it is tomorrow", "Pacific/Auckland", 0, 9, midnight],
    ["in Los Angeles, an hour before midnight in UTC", "America/Los_Angeles", 11, 9, midnight],
    ["in Los Angeles, once that day has ended", "America/Los_Angeles", 12, 0, midnight + 8 * hour],
    ["by a clock that went back by days: the end is today's", "UTC", -48, 9, midnight - 48 * hour],
  ])("goes on until the midnight in UTC that its first reservation named, %s", (_, name, hours, reserved, endsAt) => {
    const latest = { endsAt: midnight, spent: 0, reserved: 9, creditsPerSegment: 1 };
    expect(dayOn(readZone(name, ""), noon + hours * hour, latest)).toEqual({ ...latest, reserved, endsAt });
  });
});

describe("a daily limit", () => {
  it("names what is spent, reserved and left, and when the day ends", async () => {
    const { daily } = await limitAt("2026-11-22T09:00:00Z");
    const reservations = daily.reservations();
    expect((await daily.today()).rule).toBe(
      "3 credits a day (SMS_DAILY_CREDITS): 3 left until 2026-11-23 00:00 in Africa/Nairobi",
    );
    const { credits, barrier } = await reserve(reservations, messages);
    expect(credits).toHaveLength(3);
    expect(barrier).toEqual({
      kind: "held",
      hold: {
        effect: "stop",
        sentence:
          "the daily limit is 3 credits (SMS_DAILY_CREDITS): 0 spent and 3 reserved, so 0 left, and the next message may cost 1",
        errorCode: "DAILY_LIMIT",
        hint: "the day ends at 2026-11-23 00:00 in Africa/Nairobi",
      },
    });
    for (const [at, outcome] of [accepted("a"), cutOffOutcome, undefined].entries())
      if (credits[at] !== undefined) reservations.spend(credits[at], outcome);
    await bookRest(reservations);
    expect(await daily.today()).toMatchObject({ spent: 1, reserved: 1, left: 1 });
    expect(await daily.holdPlan(ofMessages(1))).toBeUndefined();
    expect(await daily.holdPlan(ofMessages(2))).toMatchObject({ errorCode: "DAILY_LIMIT" });
  });

  it("reserves for a segment what one has cost, on the days after too", async () => {
    const { clock, daily } = await limitAt("2026-11-22T09:00:00Z");
    const reservations = daily.reservations();
    const [credits] = (await reserve(reservations, [1])).credits;
    const receipt = { success: true, messageId: "a", to: "+254712345001", totalCredits: 1.5 } as const;
    if (credits !== undefined) reservations.spend(credits, { kind: "accepted", receipt });
    await bookRest(reservations);
    for (const later of [0, 24 * hour]) {
      clock.now += later;
      expect(await daily.holdPlan(ofMessages(3))).toMatchObject({ errorCode: "DAILY_LIMIT" });
    }
    expect((await reserve(daily.reservations(), messages)).credits).toHaveLength(2);
  });

  it("says how to raise it for a message that is dearer than a whole day", async () => {
    const { daily } = await limitAt("2026-11-22T09:00:00Z");
    const sentence =
      "the daily limit is 3 credits (SMS_DAILY_CREDITS), and a message may cost 4: no day has room for it";
    const refusal = { sentence, errorCode: "DAILY_LIMIT", hint: "raise the limit with SMS_DAILY_CREDITS=4" };
    expect(await daily.holdPlan(ofMessages(4))).toMatchObject(refusal);
    // It follows messages that could go.
    expect(await daily.holdPlan(ofMessages(1, 3))).toBeUndefined();
    expect(await daily.holdPlan(ofMessages(1, 4))).toMatchObject(refusal);
    const reservations = daily.reservations();
    expect(await reserve(reservations, [1, 4, 1])).toMatchObject({ credits: [{}], barrier: { hold: refusal } });
  });

  it("holds as somebody has changed it since", async () => {
    const { daily, setting } = await limitAt("2026-11-22T09:00:00Z");
    const reservations = daily.reservations();
    expect((await reserve(reservations, messages.slice(0, 2))).credits).toHaveLength(2);
    setting.credits = 2;
    const barrier = { hold: { sentence: expect.stringContaining("the daily limit is 2 credits") as unknown } };
    expect(await reserve(reservations, messages.slice(2, 3))).toMatchObject({ credits: [], barrier });
    setting.credits = 4;
    expect((await reserve(reservations, messages.slice(2, 3))).credits).toHaveLength(1);
  });

  it("counts an answer that comes after midnight on neither day", async () => {
    const { clock, daily } = await limitAt("2026-11-22T20:59:00Z");
    const reservations = daily.reservations();
    const [first] = (await reserve(reservations, [1, 1])).credits;
    expect(reservations.isOfToday()).toBe(true);
    clock.now += 2 * 60_000;
    expect(reservations.isOfToday()).toBe(false);
    const [second] = (await reserve(reservations, [1, 1])).credits;
    for (const credits of [first, second]) {
      if (credits === undefined) throw new Error("too few credits");
      reservations.spend(credits, credits === first ? accepted("a") : undefined);
    }
    await bookRest(reservations);
    expect(await daily.today()).toMatchObject({ spent: 0, reserved: 1 });
  });

  it("counts an answer that comes while other credits are reserved", async () => {
    const { daily } = await limitAt("2026-11-22T09:00:00Z");
    const reservations = daily.reservations();
    const [first] = (await reserve(reservations, [1])).credits;

    const reservation = reserve(reservations, [1]);
    if (first !== undefined) reservations.spend(first, accepted("a"));
    await reservation;
    await bookRest(reservations);

    expect(await daily.today()).toMatchObject({ spent: 1, reserved: 1 });
  });

  it("keeps credits reserved if the change that released them failed, since it may be on record", async () => {
    const { clock, daily } = await limitAt("2026-11-22T09:00:00Z");
    const reservations = daily.reservations();
    const [first] = (await reserve(reservations, [1])).credits;
    if (first !== undefined) reservations.spend(first, undefined);
    const release = reservations.bookRest();

    expect(release?.next({ ...(await daily.today()) }, clock.now)).toMatchObject({ reserved: 0 });
    release?.fail(usageError("NOT_RECORDABLE", "the connection broke"));
    await reserve(reservations, [1]);

    expect(reservations.bookRest()).toBeUndefined();
    expect(await daily.today()).toMatchObject({ reserved: 2 });
  });
});
