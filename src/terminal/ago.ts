import { plural } from "../words/count.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function agoText(at: number, now: number): string {
  const age = now - at;
  // The time is from another clock, or from this one before somebody set it back.
  if (age <= -minute) return `by a clock that is ${spanText(-age)} ahead`;
  if (age < minute) return "just now";
  return age < 31 * day ? `${spanText(age)} ago` : new Date(at).toISOString().slice(0, 10);
}

function spanText(ms: number): string {
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  return ms < day ? `${Math.floor(ms / hour)} h` : plural(Math.floor(ms / day), "day");
}
