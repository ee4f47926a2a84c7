import { usageError } from "../errors.ts";
import type { Guard } from "./guard.ts";

/** Hours of every day, by the wall clock of a zone. */
export interface Hours {
  readonly from: number;
  /** Milliseconds after midnight, not included. At or before `from` if the hours cross midnight. */
  readonly to: number;
  readonly text: string;
  readonly zone: Zone;
  /** Where they came from, in words, such as `--between`. */
  readonly source: string;
}

const minuteMs = 60_000;
const day = 24 * 60 * minuteMs;

/** How far ahead an opening is searched for: over every change of the clocks in a year. */
const horizon = 400 * day;

/** Reads hours such as 08:00-20:00, also across midnight. Throws a usage error `INVALID_HOURS`. */
export function readHours(text: string, zone: Zone, source: string): Hours {
  const [, ...parts] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text) ?? [];
  const [fromHour = NaN, fromMinute = NaN, toHour = NaN, toMinute = NaN] = parts.map(Number);
  const [from, to] = [60 * fromHour + fromMinute, 60 * toHour + toMinute];
  const isTime = fromHour < 24 && fromMinute < 60 && toMinute < 60 && to <= 24 * 60;
  if (isTime && from !== to) return { from: from * minuteMs, to: to * minuteMs, text, zone, source };
  const reason = isTime ? "opens and closes at the same time" : "is not HH:MM-HH:MM";
  throw usageError(
    "INVALID_HOURS",
    `${source}: ${JSON.stringify(text)} ${reason}`,
    "write hours as 08:00-20:00; 22:00-06:00 crosses midnight, and 00:00-24:00 is all day",
  );
}

/** Whether an instant, in milliseconds since 1970, is within all these hours. */
export function isOpen(all: readonly Hours[], at: number): boolean {
  return all.every((hours) => isWithin(hours, at));
}

/** Returns the first instant, at or after `at`, that is within all these hours; undefined if none is in more than a year. */
export function nextOpening(all: readonly Hours[], at: number): number | undefined {
  for (let next = at; next < at + horizon;) {
    const closed = all.find((hours) => !isWithin(hours, next));
    if (closed === undefined) return next;
    next = nextChange(closed, next);
  }
  return undefined;
}

/** Returns the first instant after `at`, which is within all these hours, that is not; Infinity if there is none. */
export function nextClosing(all: readonly Hours[], at: number): number {
  return Math.min(Infinity, ...all.map((hours) => nextChange(hours, at)));
}

function isWithin({ from, to, zone }: Hours, at: number): boolean {
  const time = timeOfDay(zone, at);
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/**
 * Returns the first instant after `at` at which the hours open or close. Between two changes of the clocks the wall clock
 * runs evenly, so it goes from one to the next: at each, hours may begin or end that the wall clock does not show.
 */
function nextChange(hours: Hours, at: number): number {
  const { from, to, zone } = hours;
  if (from === to % day) return Infinity;
  const wasOpen = isWithin(hours, at);
  let next = at;
  do {
    const left = ((wasOpen ? to : from) - timeOfDay(zone, next) + day) % day || day;
    const end = next + left;
    next = zone.offset(end) === zone.offset(next) ? end : clockChange(zone, next, end);
  } while (isWithin(hours, next) === wasOpen);
  return next;
}

/** Returns the first instant after `before` at which the offset is another. It is another at `after`. */
function clockChange(zone: Zone, before: number, after: number): number {
  const offset = zone.offset(before);
  let [same, other] = [before, after];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (zone.offset(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}

/** Milliseconds since midnight. */
function timeOfDay(zone: Zone, at: number): number {
  return (((at + zone.offset(at)) % day) + day) % day;
}

export function hoursText({ text, zone }: Hours): string {
  return `${text} in ${zone.name}`;
}

export function localText({ offset }: Zone, at: number): string {
  return new Date(at + offset(at)).toISOString().slice(0, 16).replace("T", " ");
}

/** Holds everything back outside these hours. Throws a usage error `NO_COMMON_HOURS` if they have none in common. */
export function withinHours(all: readonly [Hours, ...Hours[]], now: number): Guard {
  const rule = all.map(ruleOf).join(" and ");
  if (nextOpening(all, now) === undefined) {
    throw usageError("NO_COMMON_HOURS", `no time is within ${rule}`, "give other hours with --between");
  }
  // Asked for each message, and the answer changes twice a day.
  let [openedAt, closesAt] = [Infinity, -Infinity];
  return {
    rule,
    holdAll: (at) => {
      if (at >= openedAt && at < closesAt) return undefined;
      if (isOpen(all, at)) {
        [openedAt, closesAt] = [at, nextClosing(all, at)];
        return undefined;
      }
      return {
        guard: "hours",
        effect: "stop",
        reason: `it is ${localText(all[0].zone, at)} in ${all[0].zone.name}, and the hours are ${rule}`,
        errorCode: "OUTSIDE_HOURS",
        hint: openingText(all, at),
      };
    },
  };
}

function ruleOf(hours: Hours): string {
  return `${hoursText(hours)} (${hours.source})`;
}

function openingText(all: readonly [Hours, ...Hours[]], at: number): string {
  const opening = nextOpening(all, at);
  const [{ zone }] = all;
  return opening === undefined ? "they do not open again" : `they open at ${localText(zone, opening)} in ${zone.name}`;
}

export function localDate(zone: Zone, at: number): string {
  return localText(zone, at).slice(0, 10);
}

/** Returns the first instant of the day after a date in a zone, whatever its clocks do at midnight. */
export function endOfDate(zone: Zone, date: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`);
  let [during, after] = [noon - day, noon + 2 * day];
  while (after - during > 1) {
    const middle = Math.floor((during + after) / 2);
    if (localDate(zone, middle) > date) after = middle;
    else during = middle;
  }
  return after;
}

/** A time zone of the IANA database. */
export interface Zone {
  readonly name: string;
  /** Returns local time minus UTC in milliseconds at an instant, which is in milliseconds since 1970. */
  readonly offset: (at: number) => number;
}

/** Returns the zone of an IANA name, such as Africa/Nairobi. Throws a usage error `INVALID_ZONE`; `source` says where the name came from. */
export function readZone(name: string, source: string): Zone {
  // Node 22 takes offsets such as +03:00 too, but an offset does not know about daylight saving.
  const format = /^[a-z]/i.test(name) ? formatFor(name) : undefined;
  if (format === undefined) {
    throw usageError("INVALID_ZONE", `${source}: there is no time zone ${JSON.stringify(name)}`, suggestion(name));
  }
  const canonical = format.resolvedOptions().timeZone;
  return {
    // An alias, such as Asia/Kolkata for Asia/Calcutta, stays as it was typed.
    name: canonical.toLowerCase() === name.toLowerCase() ? canonical : name,
    offset: (at) => {
      const [month = NaN, date = NaN, year = NaN, hour, minute, second] = (format.format(at).match(/\d+/g) ?? []).map(
        Number,
      );
      return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(at / 1000) * 1000;
    },
  };
}

function formatFor(name: string): Intl.DateTimeFormat | undefined {
  const time = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      year: "numeric",
      month: "numeric",
      day: "numeric",
      ...time,
    });
  } catch {
    return undefined;
  }
}

/** Names the zones of a city, or the form of a name. */
function suggestion(name: string): string {
  const wanted = name.trim().replaceAll(/\s+/g, "_").toLowerCase();
  const near = Intl.supportedValuesOf("timeZone").filter((zone) => zone.toLowerCase().split("/").includes(wanted));
  if (near.length === 0 || near.length > 3) return "name a zone of the IANA database, such as Africa/Nairobi";
  return `did you mean ${near.join(" or ")}?`;
}
