import { invalidOption } from "../../errors.ts";
import { startOfDay, type Zone } from "../../guards/hours.ts";
import type { Host } from "../../host.ts";
import { read, spanOf } from "./option-values.ts";

/** In milliseconds since 1970. */
type Moment = (now: number, zone: Zone) => number;

/** Dates and times are in UTC if they name no zone. */
export function moment(name: string) {
  return read(name, (value): Moment => {
    if (value === "today" || value === "yesterday")
      return (now, zone) => startOfDay(zone, now, value === "today" ? 0 : 1);
    const ago = spanOf(value);
    if (ago !== undefined) return (now) => now - ago;
    const [, date = "", time, zone] = isoTime.exec(value) ?? [];
    const at = Date.parse(time === undefined || zone !== undefined ? value : `${value}Z`);
    if (date !== "" && !Number.isNaN(at) && isDay(date)) return () => at;
    throw invalidOption(
      `${name} takes a date or a time span, not ${JSON.stringify(value)}`,
      "give one as in 2026-11-01 (UTC), 2026-11-01T08:00+03:00, today, yesterday, 1w or 24h",
    );
  });
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

export function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}
