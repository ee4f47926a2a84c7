import { invalidOption } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { read, spanOf } from "./option-values.ts";

/**
 * Returns a parser for a time: a date or time in ISO 8601, in UTC unless it says otherwise, how long ago it was, or the
 * beginning of `today` or `yesterday`.
 */
export function moment(name: string) {
  return read(name, (value): Moment => {
    if (value === "today" || value === "yesterday") return { kind: "day", ago: value === "today" ? 0 : 1 };
    const ago = spanOf(value);
    if (ago !== undefined) return { kind: "ago", ms: ago };
    const [, date = "", time, zone] = isoTime.exec(value) ?? [];
    const at = Date.parse(time === undefined || zone !== undefined ? value : `${value}Z`);
    if (date !== "" && !Number.isNaN(at) && isDay(date)) return { kind: "at", ms: at };
    throw invalidOption(
      `${name} takes a date or a time span, not ${JSON.stringify(value)}`,
      "give one as in 2026-11-01 (UTC), 2026-11-01T08:00+03:00, today, yesterday, 1w or 24h",
    );
  });
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Whether there is such a day: JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

/** A time or how long ago it was, in milliseconds since 1970 or before now; or a day, so many days ago. */
export type Moment =
  | { readonly kind: "at" | "ago"; readonly ms: number }
  | { readonly kind: "day"; readonly ago: number };

export function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}
