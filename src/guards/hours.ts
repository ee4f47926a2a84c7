import { usageError } from "../errors.ts";
import type { Zone } from "./zone.ts";

/** Hours of every day, by the wall clock of a zone. */
export interface Hours {
  /** Milliseconds after midnight. */
  readonly from: number;
  /** Milliseconds after midnight, not included. At or before `from` if the hours cross midnight. */
  readonly to: number;
  /** The same as it was written, such as `08:00-20:00`. */
  readonly text: string;
  readonly zone: Zone;
  /** Where they came from, in words, such as `--between`. */
  readonly source: string;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** How far ahead an opening is searched for: over every change of the clocks in a year. */
const horizon = 400 * day;

/** Reads hours such as 08:00-20:00, also across midnight. Throws a usage error `INVALID_HOURS`. */
export function readHours(text: string, zone: Zone, source: string): Hours {
  const [, ...parts] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text) ?? [];
  const [fromHour = NaN, fromMinute = NaN, toHour = NaN, toMinute = NaN] = parts.map(Number);
  const [from, to] = [60 * fromHour + fromMinute, 60 * toHour + toMinute];
  const isTime = fromHour < 24 && fromMinute < 60 && toMinute < 60 && to <= 24 * 60;
  if (isTime && from !== to) return { from: from * minute, to: to * minute, text, zone, source };
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

/** Returns hours as they are written, with their zone, as in `08:00-20:00 in Africa/Nairobi`. */
export function hoursText({ text, zone }: Hours): string {
  return `${text} in ${zone.name}`;
}

/** Returns an instant in a zone, as in `2026-11-23 08:00`. */
export function localText({ offset }: Zone, at: number): string {
  return new Date(at + offset(at)).toISOString().slice(0, 16).replace("T", " ");
}
