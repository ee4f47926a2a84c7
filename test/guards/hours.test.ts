import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  type Hours,
  isOpen,
  localText,
  nextOpening,
  readHours,
  readZone,
  withinHours,
} from "../../src/guards/hours.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

function between(text: string, zone = "Africa/Nairobi"): Hours {
  return readHours(text, readZone(zone, ""), "--between");
}

/** An instant by its local time in a zone that has it once. */
function at(local: string, zone: string): number {
  const utc = Date.parse(`${local}Z`);
  return utc - readZone(zone, "").offset(utc - readZone(zone, "").offset(utc));
}

describe("hours", () => {
  it.each([
    ["08:00-20:00", "08:00", true],
    ["08:00-20:00", "20:00", false],
    ["22:00-06:00", "23:00", true],
    ["22:00-06:00", "06:00", false],
    ["20:00-24:00", "23:59", true],
    ["20:00-24:00", "00:00", false],
  ])("%s at %s: %s", (text, time, expected) => {
    expect(isOpen([between(text)], at(`2026-11-23T${time}`, "Africa/Nairobi"))).toBe(expected);
  });

  it.each(["08:00", "08:00-24:01", "24:00-06:00", "08:00-08:00", ""])("refuse %j", (text) =>
    expect(() => between(text)).toThrow(expect.objectContaining({ errorCode: "INVALID_HOURS" })),
  );
});

describe("a zone", () => {
  it.each(["Mars/Base", "", "+03:00", "Etc/Unknown"])("is refused: %j", (name) =>
    expect(() => readZone(name, "")).toThrow(expect.objectContaining({ errorCode: "INVALID_ZONE" })),
  );
});

describe("the next opening", () => {
  it.each([
    ["08:00-20:00", "2026-11-23T20:00", "2026-11-24 08:00"],
    ["22:00-06:00", "2026-12-31T06:00", "2026-12-31 22:00"],
  ])("%s at %s opens at %s", (text, local, expected) => {
    const hours = between(text);
    const opening = nextOpening([hours], at(local, "Africa/Nairobi"));
    expect(opening === undefined ? undefined : localText(hours.zone, opening)).toBe(expected);
  });

  // New York springs from 02:00 to 03:00 on 2026-03-08, and falls from 02:00 to 01:00 on 2026-11-01.
  it.each([
    ["02:30-05:00", "2026-03-08T01:00", "2026-03-08T07:00Z", "begin in the gap: at its end"],
    ["02:15-02:45", "2026-03-08T01:00", "2026-03-09T06:15Z", "are all in the gap: a day later"],
    ["01:30-02:30", "2026-11-01T00:00", "2026-11-01T05:30Z", "come twice: the first time"],
  ])("in New York %s after %s opens at %s: hours that %s", (text, local, expected) => {
    const opening = nextOpening([between(text, "America/New_York")], at(local, "America/New_York"));
    expect(opening).toBe(Date.parse(expected));
  });

  it("never comes for two hours that exclude each other", () => {
    expect(nextOpening([between("08:00-12:00"), between("12:00-20:00")], 0)).toBeUndefined();
  });
});

describe("the guard of hours", () => {
  // New York springs from 02:00 to 03:00 on 2026-03-08, and falls from 02:00 to 01:00 on 2026-11-01.
  it.each([
    ["00:30-02:30", "2026-03-08T07:00Z", "end in the gap: at its beginning"],
    ["00:30-01:30", "2026-11-01T05:30Z", "come twice: the first time"],
    ["01:30-03:00", "2026-11-01T06:00Z", "begin again: when the clock goes back before them"],
  ])("closes %s in New York at %s: hours that %s", (text, expected) => {
    const closing = Date.parse(expected);
    const { holdAll } = withinHours([between(text, "America/New_York")], closing);
    expect([closing - 1, closing].map((instant) => holdAll?.(instant)?.errorCode)).toEqual([
      undefined,
      "OUTSIDE_HOURS",
    ]);
  });

  it("never closes for hours that are always", () => {
    const { holdAll } = withinHours([between("00:00-24:00")], 0);
    for (let instant = 0; instant < 2 * day; instant += 13 * minute) expect(holdAll?.(instant)).toBeUndefined();
  });
});

/** The slower reading: asks for the time of one instant, in another language. */
function isOpenByDate({ from, to, zone }: Hours, instant: number): boolean {
  const shape = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const parts = new Intl.DateTimeFormat("de-DE", { ...shape, timeZone: zone.name }).formatToParts(instant);
  const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const minutes = 60 * part("hour") + part("minute");
  const [first, last] = [from / minute, to / minute];
  return first < last ? minutes >= first && minutes < last : !(minutes >= last && minutes < first);
}

const zones = fc.constantFrom(
  ...Intl.supportedValuesOf("timeZone"),
  // Those with changes of half an hour, at midnight, of 15 min offsets, and without a day.
  ...Array.from({ length: 20 }, () => [
    "Australia/Lord_Howe",
    "America/Santiago",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Europe/Dublin",
  ]).flat(),
);
const time = fc.integer({ min: 0, max: 24 * 4 - 1 });
const hoursIn = fc
  .tuple(time, time, zones)
  .filter(([from, to]) => from !== to)
  .map(([from, to, zone]) => ({ ...between("00:00-24:00", zone), from: from * 15 * minute, to: to * 15 * minute }));
/** Whole minutes from 2017, since when all clocks change at a whole quarter of an hour, to 2036. */
const instants = fc.integer({ min: 17_200 * 1440, max: 66 * 365 * 1440 }).map((minutes) => minutes * minute);
/** An instant within two days of a change of the zone's clocks, if it has one in the year after `at`. */
function nearChange({ zone }: Hours, instant: number): number {
  for (let next = instant; next < instant + 366 * day; next += day)
    if (zone.offset(next) !== zone.offset(next + day)) return next - (instant % (2 * day)) + day;
  return instant;
}

test("in random zones, what is open and the next opening are what a search by the quarter of an hour finds", () => {
  fc.assert(
    fc.property(fc.array(hoursIn, { minLength: 1, maxLength: 2 }), instants, fc.boolean(), (all, instant, isNear) => {
      const [first] = all;
      const start = isNear && first !== undefined ? nearChange(first, instant) : instant;
      let slow: number | undefined;
      for (let next = start; next < start + 2 * day && slow === undefined; next += 15 * minute) {
        const isOpenThen = all.every((hours) => isOpenByDate(hours, next));
        if (isOpen(all, next) !== isOpenThen) throw new Error(`at ${next}, open should be ${isOpenThen}`);
        if (isOpenThen) slow = next;
      }
      const found = nextOpening(all, start) ?? Infinity;
      const earliest = slow === undefined ? start + 2 * day : slow - 15 * minute + 1;
      expect(found).toBeGreaterThanOrEqual(slow === start ? start : earliest);
      expect(found).toBeLessThanOrEqual(slow ?? Infinity);
      expect(found === Infinity || isOpen(all, found)).toBe(true);
      expect(found === Infinity || found === start || !isOpen(all, found - 1)).toBe(true);
    }),
    { numRuns: 80 },
  );
});
