import { element } from "./dom.js";

const to = {
  minute: new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  second: new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" }),
};
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

let today = new Date().toDateString();
/** @type {WeakRef<HTMLTimeElement>[]} The times that have no day. */
const undated = [];

/**
 * A `<time>` in the reader's time zone, with the day unless it is today.
 * @param {string} at ISO 8601
 * @param {keyof typeof to} precision
 */
export function clock(at, precision) {
  dateClocks();
  const date = new Date(at);
  const time = element("time", { datetime: at, title: at }, to[precision].format(date));
  if (date.toDateString() === today) undated.push(new WeakRef(time));
  else addDay(time);
  return time;
}

/** Adds the day to the times of a day that is over. */
export function dateClocks() {
  const now = new Date().toDateString();
  if (now === today) return;
  today = now;
  for (const time of undated.splice(0)) addDay(time.deref());
}

/** @param {HTMLTimeElement} [time] */
function addDay(time) {
  time?.prepend(`${day.format(new Date(time.dateTime))}, `);
}
