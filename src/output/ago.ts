import { plural } from "./text.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns how long ago a time was, as in `2 min ago`, or its date in UTC after 30 days. Both in milliseconds since 1970. */
export function agoText(at: number, now: number): string {
  const passed = now - at;
  if (passed < minute) return "just now";
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  if (passed < day) return `${Math.floor(passed / hour)} h ago`;
  const days = Math.floor(passed / day);
  return days <= 30 ? `${plural(days, "day")} ago` : new Date(at).toISOString().slice(0, 10);
}
