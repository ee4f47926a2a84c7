import { element } from "./dom.js";

const to = {
  minute: new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  second: new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" }),
};
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

/**
 * A `<time>` in the reader's time zone, with the day unless it is today.
 * @param {string} at ISO 8601
 * @param {keyof typeof to} precision
 */
export function clock(at, precision) {
  const date = new Date(at);
  const time = to[precision].format(date);
  const isToday = date.toDateString() === new Date().toDateString();
  return element("time", { datetime: at, title: at }, isToday ? time : `${day.format(date)}, ${time}`);
}
