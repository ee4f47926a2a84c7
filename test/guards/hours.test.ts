import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  type Hours,
  isOpen,
  localText,
  nextClosing,
  nextOpening,
  readHours,
  readZone,
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
    ["08:00-20:00", "07:59", false],
    ["08:00-20:00", "08:00", true],
    ["08:00-20:00", "19:59", true],
    ["08:00-20:00", "20:00", false],
    ["22:00-06:00", "21:59", false],
    ["22:00-06:00", "23:00", true],
    ["22:00-06:00", "05:59", true],
    ["22:00-06:00", "06:00", false],
    ["00:00-24:00", "00:00", true],
    ["20:00-24:00", "23:59", true],
    ["20:00-24:00", "00:00", false],
    ["20:00-00:00", "00:00", false],
  ])("%s at %s: %s", (text, time, expected) => {
    expect(isOpen([between(text)], at(`2026-11-23T${time}`, "Africa/Nairobi"))).toBe(expected);
  });

  it.each([
    "8-20",
    "08:00",
    "08:00-24:01",
    "24:00-06:00",
    "08:60-20:00",
    "08:00-08:00",
    "8:00-20:00",
    " 08:00-20:00",
    "",
  ])("refuse %j", (text) =>
    expect(() => between(text)).toThrow(expect.objectContaining({ errorCode: "INVALID_HOURS" })),
  );
});

describe("a zone", () => {
  it.each(["Mars/Base", "", "+03:00", "-03", "Etc/Unknown", "Africa/Nairobi ", "\u001b[31m"])(
    "is refused: %j",
    (name) => expect(() => readZone(name, "")).toThrow(expect.objectContaining({ errorCode: "INVALID_ZONE" })),
  );

  it("is suggested by its city", () => {
    expect(() => readZone("nairobi", "")).toThrow(expect.objectContaining({ hint: "did you mean Africa/Nairobi?" }));
  });

  it("has its name in the case of the database, and keeps an alias", () => {
    expect(readZone("africa/nairobi", "").name).toBe("Africa/Nairobi");
    expect(readZone("Asia/Kolkata", "").name).toBe("Asia/Kolkata");
  });
});

describe("the next opening and closing", () => {
  it.each([
    ["08:00-20:00", "2026-11-23T06:00", "2026-11-23 08:00"],
    ["08:00-20:00", "2026-11-23T20:00", "2026-11-24 08:00"],
    ["22:00-06:00", "2026-12-31T06:00", "2026-12-31 22:00"],
    ["00:00-06:00", "2026-12-31T12:00", "2027-01-01 00:00"],
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

  it.each([
    ["00:30-02:30", "2026-03-08T06:00Z", "2026-03-08T07:00Z", "end in the gap: at its beginning"],
    ["00:30-01:30", "2026-11-01T04:45Z", "2026-11-01T05:30Z", "come twice: the first time"],
    ["01:30-03:00", "2026-11-01T05:30Z", "2026-11-01T06:00Z", "begin again: when the clock goes back before them"],
  ])("in New York %s after %s closes at %s: hours that %s", (text, instant, expected) => {
    expect(nextClosing([between(text, "America/New_York")], Date.parse(instant))).toBe(Date.parse(expected));
  });

  it("never comes for hours that are always, and for two that exclude each other", () => {
    expect(nextClosing([between("00:00-24:00")], 0)).toBe(Infinity);
    expect(nextOpening([between("08:00-12:00"), between("12:00-20:00")], 0)).toBeUndefined();
    expect(nextClosing([], 0)).toBe(Infinity);
  });
});

/** The slower reading: asks for the time of one instant, in another language. */
function isOpenByDate({ from, to, zone }: Hours, instant: number): boolean {
  const parts = new Intl.DateTimeFormat("de-DE", {
    timeZone: zone.name,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(instant);
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
  .map(([from, to, zone]): Hours => ({
    from: from * 15 * minute,
    to: to * 15 * minute,
    text: "",
    zone: readZone(zone, ""),
    source: "",
  }));
/** Whole minutes from 2017, since when all clocks change at a whole quarter of an hour, to 2036. */
const instants = fc.integer({ min: 17_200 * 1440, max: 66 * 365 * 1440 }).map((minutes) => minutes * minute);
/** An instant within two days of a change of the zone's clocks, if it has one in the year after `at`. */
function nearChange({ zone }: Hours, instant: number): number {
  for (let next = instant; next < instant + 366 * day; next += day)
    if (zone.offset(next) !== zone.offset(next + day)) return next - (instant % (2 * day)) + day;
  return instant;
}

test("in random zones, opening and closing are what a search by the quarter of an hour finds", () => {
  fc.assert(
    fc.property(fc.array(hoursIn, { minLength: 1, maxLength: 2 }), instants, fc.boolean(), (all, instant, isNear) => {
      const [first] = all;
      const start = isNear && first !== undefined ? nearChange(first, instant) : instant;
      const slowly = (wanted: boolean) => {
        for (let next = start; next < start + 2 * day; next += 15 * minute)
          if (all.every((hours) => isOpenByDate(hours, next)) === wanted) return next;
        return undefined;
      };
      const wasOpen = isOpen(all, start);
      expect(wasOpen).toBe(all.every((hours) => isOpenByDate(hours, start)));
      const found = wasOpen ? nextClosing(all, start) : (nextOpening(all, start) ?? Infinity);
      const slow = slowly(!wasOpen);
      const earliest = slow === undefined ? start + 2 * day : slow - 15 * minute + 1;
      expect(found).toBeGreaterThanOrEqual(earliest);
      expect(found).toBeLessThanOrEqual(slow ?? Infinity);
      expect(found === Infinity || isOpen(all, found)).toBe(found === Infinity || !wasOpen);
      expect(found === Infinity || isOpen(all, found - 1)).toBe(found === Infinity || wasOpen);
    }),
    { numRuns: 80 },
  );
});
