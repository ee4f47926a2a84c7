import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { single } from "./option-values.ts";

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns a parser for a time span such as `90d`, `24h`, `30m` or `45s`, which returns milliseconds. */
export function span(name: string) {
  return (value: string, previous: number | undefined): number => {
    const ms = spanOf(single(name)(value, previous?.toString()));
    if (ms !== undefined) return ms;
    throw usageError(
      "INVALID_OPTION",
      `${name} takes a time span, not ${JSON.stringify(value)}`,
      "give days, hours, minutes or seconds, as in 90d, 24h, 30m or 45s",
    );
  };
}

/** Returns a parser for a time: a date or time in ISO 8601, in UTC unless it says otherwise, or how long ago it was. */
export function moment(name: string) {
  return (value: string, previous: Moment | undefined): Moment => {
    single(name)(value, previous === undefined ? undefined : value);
    const ago = spanOf(value);
    if (ago !== undefined) return { kind: "ago", ms: ago };
    const at = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(value)
      ? Date.parse(/T.*(Z|[+-]\d{2}:\d{2})$/.test(value) || !value.includes("T") ? value : `${value}Z`)
      : NaN;
    if (!Number.isNaN(at) && isDay(value.slice(0, 10))) return { kind: "at", ms: at };
    throw usageError(
      "INVALID_OPTION",
      `${name} takes a date or a time span, not ${JSON.stringify(value)}`,
      "give one as in 2026-11-01 (UTC), 2026-11-01T08:00+03:00, 7d or 24h",
    );
  };
}

/** Whether there is such a day: JavaScript takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

/** A time, or how long ago it was. Milliseconds, since 1970 or before now. */
export interface Moment {
  readonly kind: "at" | "ago";
  readonly ms: number;
}

/** Returns a moment in milliseconds since 1970. */
export function timeOf({ kind, ms }: Moment, now: number): number {
  return kind === "at" ? ms : now - ms;
}

/** Returns the current time in ISO 8601, UTC. */
export function timestamp({ now }: Host): string {
  return new Date(now()).toISOString();
}

function spanOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === "s" || unit === "m" || unit === "h" || unit === "d" ? Number(count) * units[unit] : undefined;
}
