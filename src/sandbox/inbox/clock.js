import { element } from "./dom.js";

const time = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

/**
 * When something happened, in the reader's own time; the day is named where it is not today.
 *
 * @param {string} at ISO 8601
 */
export function clock(at) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const text = isToday ? time.format(date) : `${day.format(date)}, ${time.format(date)}`;
  return element("time", { datetime: at, title: at }, text);
}

/**
 * The same, as short as a list wants it.
 *
 * @param {string} at ISO 8601
 */
export function shortClock(at) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return element("time", { datetime: at, title: at }, isToday ? time.format(date).slice(0, 5) : day.format(date));
}
