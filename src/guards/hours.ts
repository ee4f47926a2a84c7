import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { machineZone } from "../profiles/defaults.ts";
import type { ProfileInUse } from "../profiles/resolve.ts";
import type { GuardInputAt, Guard, HoldOfAll } from "./guard.ts";

export interface Hours {
  readonly from: number;
  /** Milliseconds after midnight, not included; at or before `from` if the hours cross midnight. */
  readonly to: number;
  readonly text: string;
  readonly zone: Zone;
  readonly source: string;
}

const minuteMs = 60_000;
/** Since 2017, every clock that was changed was changed at a whole quarter of an hour. */
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

const horizonMs = 3 * dayMs;

/** Hours may cross midnight. Throws a usage error `INVALID_HOURS`. */
export function readHours(text: string, zone: Zone, source: string): Hours {
  const [, ...parts] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text) ?? [];
  const [fromHour = NaN, fromMinute = NaN, toHour = NaN, toMinute = NaN] = parts.map(Number);
  const [from, to] = [60 * fromHour + fromMinute, 60 * toHour + toMinute];
  const isTime = fromHour < 24 && fromMinute < 60 && toMinute < 60 && to <= 24 * 60;
  if (isTime && from !== to) return { from: from * minuteMs, to: to * minuteMs, text, zone, source };
  const reason = isTime ? "opens and closes at the same time" : "is not HH:MM-HH:MM";
  const hint = "write hours as 08:00-20:00; 22:00-06:00 crosses midnight, and 00:00-24:00 is all day";
  throw usageError("INVALID_HOURS", `${source}: ${JSON.stringify(text)} ${reason}`, hint);
}

export function isOpen(all: readonly Hours[], at: number): boolean {
  return all.every((hours) => isWithin(hours, at));
}

export function nextOpening(all: readonly Hours[], at: number): number | undefined {
  // Clocks change on a whole minute.
  for (let next = at; next < at + horizonMs; next = (Math.floor(next / minuteMs) + 1) * minuteMs)
    if (isOpen(all, next)) return next;
  return undefined;
}

function isWithin({ from, to, zone }: Hours, at: number): boolean {
  const time = msSinceMidnight(zone, at);
  return from < to ? from <= time && time < to : from <= time || time < to;
}

function msSinceMidnight(zone: Zone, at: number): number {
  return (((at + zone.offset(at)) % dayMs) + dayMs) % dayMs;
}

function hoursText({ text, zone }: Hours): string {
  return `${text} in ${zone.name}`;
}

export function localText({ offset }: Zone, at: number): string {
  return new Date(at + offset(at)).toISOString().slice(0, 16).replace("T", " ");
}

/** `--between any` overrides all other hours. Throws a usage error for hours or a zone that cannot be read. */
export function openHours({ options, payingProfile, live, context }: GuardInputAt): readonly Guard[] {
  const { between } = options;
  const { host } = context;
  const [first, ...others] = [
    ...(between === undefined || between === "any" ? [] : [readBetween(between, option, payingProfile, host)]),
    ...hoursOfProfile(live && payingProfile, host),
  ];
  if (first === undefined) return [];
  if (between !== "any") return [withinHours([first, ...others], host.wallClock())];
  return [{ rule: `at any time: --between any overrides ${hoursText(first)} (${first.source})` }];
}

/** Returns the hours as `--between` takes them, with their zone. Throws as `openHours`. */
export function zonedHours(between: string, payingProfile: ProfileInUse | undefined, host: Host): string {
  const { text, zone } = readBetween(between, option, payingProfile, host);
  return `${text} ${zone.name}`;
}

const option = "--between";

function hoursOfProfile(profile: ProfileInUse | undefined, host: Host): readonly Hours[] {
  const { hours } = profile?.defaults ?? {};
  return hours === undefined ? [] : [readBetween(hours, `profile ${JSON.stringify(profile?.name)}`, profile, host)];
}

function readBetween(text: string, source: string, payingProfile: ProfileInUse | undefined, host: Host): Hours {
  const [range = "", ...words] = text.replace(/ ?[-\u2013] ?(?=\d)/, "-").split(" ");
  const { zone } = payingProfile?.defaults ?? {};
  const name = words.length > 0 ? words.join(" ") : (zone ?? machineZone(host, source, payingProfile));
  return readHours(range, readZone(name, source), source);
}

/** Throws a usage error `NO_COMMON_HOURS` if the hours have none in common. */
export function withinHours(all: readonly [Hours, ...Hours[]], now: number): Guard {
  const rule = all.map((hours) => `${hoursText(hours)} (${hours.source})`).join(" and ");
  if (nextOpening(all, now) === undefined)
    throw usageError("NO_COMMON_HOURS", `no time is within ${rule}`, "give other hours with --between");
  return { rule, holdAll: (at) => holdOfHours(all, at, rule) };
}

function holdOfHours(all: readonly [Hours, ...Hours[]], at: number, rule: string): HoldOfAll | undefined {
  const opening = nextOpening(all, at);
  if (opening === at) return undefined;
  const [{ zone }] = all;
  const until =
    opening === undefined ? undefined : { at: opening, text: `${localText(zone, opening)} in ${zone.name}` };
  return {
    brief: "outside the hours",
    effect: "stop",
    sentence: `it is ${localText(zone, at)} in ${zone.name}, and the hours are ${rule}`,
    errorCode: "OUTSIDE_HOURS",
    hint: until === undefined ? "they do not open again" : `they open at ${until.text}: --wait waits for that`,
    ...(until && { until }),
  };
}

export function localDate(zone: Zone, at: number): string {
  return localText(zone, at).slice(0, 10);
}

/** If clocks change at midnight, the next day does not begin at 00:00. */
export function endOfDate(zone: Zone, date: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`);
  let [during, after] = [noon - dayMs, noon + 2 * dayMs];
  while (after - during > 1) {
    const middle = Math.floor((during + after) / 2);
    if (localDate(zone, middle) > date) after = middle;
    else during = middle;
  }
  return after;
}

export function startOfDay(zone: Zone, now: number, daysAgo: number): number {
  const date = Date.parse(localDate(zone, now)) - (daysAgo + 1) * dayMs;
  return endOfDate(zone, new Date(date).toISOString().slice(0, 10));
}

export interface Zone {
  readonly name: string;
  /** Local time minus UTC, in milliseconds. */
  readonly offset: (at: number) => number;
}

/** Throws a usage error `INVALID_ZONE` unless the name is an IANA name, such as Africa/Nairobi. */
export function readZone(name: string, source: string): Zone {
  // Node 22 takes offsets such as +03:00 too, but an offset does not know about daylight saving.
  const format = /^[a-z]/i.test(name) ? formatFor(name) : undefined;
  if (format === undefined) {
    const hint = "name a zone of the IANA database, such as Africa/Nairobi";
    throw usageError("INVALID_ZONE", `${source}: there is no time zone ${JSON.stringify(name)}`, hint);
  }
  // The search for an opening asks for each minute, and a format takes 0.1 ms.
  let last = { quarter: NaN, offset: NaN };
  return {
    name,
    offset: (at) => {
      const quarter = Math.floor(at / quarterMs);
      if (last.quarter !== quarter) last = { quarter, offset: offsetIn(format, at) };
      return last.offset;
    },
  };
}

function offsetIn(format: Intl.DateTimeFormat, at: number): number {
  const [month = NaN, date = NaN, year = NaN, ...time] = (format.format(at).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, date, ...time) - Math.floor(at / 1000) * 1000;
}

function formatFor(name: string): Intl.DateTimeFormat | undefined {
  const date = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name, ...date, ...time });
  } catch {
    return undefined;
  }
}
