// What the benchmark prints.
import { median, ratioOf } from "./figures.js";

const columns = { ours: 13, theirs: 13, ratio: 9, limit: 9 };
const nameWidth = 52;

export function heading(part) {
  const titles = Object.entries(columns).map(([title, width]) => title.padStart(width));
  return `${part.padEnd(nameWidth)}${titles.join("")}`;
}

/**
 * A row: `name` says what is divided by what, `ours` and `theirs` are both figures for people, `ratio` the number that
 * `bound` is for, which is of the sense "<=" or ">=". Or a `note`, which is only text.
 */
export function line({ note, name, ours, theirs, ratio, bound }) {
  if (note !== undefined) return `  ${note}`;
  const cells = [ours, theirs, ratio.toFixed(ratio < 100 ? 2 : 0), bound && `${bound.sense} ${bound.limit}`];
  const widths = Object.values(columns);
  const text = widths.map((width, index) => (cells[index] ?? "").padStart(width)).join("");
  return `  ${name.padEnd(nameWidth - 2)}${text}${bound ? mark(ratio, bound) : ""}`.trimEnd();
}

/** Rows for what `timed` gave in each round: `bound` is for the times from start to end. */
export function* timeRows(name, ours, theirs, bound) {
  yield timeRow(name, wallOf(ours), wallOf(theirs), bound);
  yield timeRow("  in processor time", processorOf(ours), processorOf(theirs));
}

function timeRow(name, ours, theirs, bound) {
  const text = (times) => `${median(times).toFixed(0)} ms`;
  return { name, ours: text(ours), theirs: text(theirs), ratio: ratioOf(ours, theirs), bound };
}

const wallOf = (rounds) => rounds.map(({ wall }) => wall);
const processorOf = (rounds) => rounds.map(({ processor }) => processor);

/** A row for the requests a minute of a run and its rate, of which it may miss a part. */
export function rateRow(name, measured, rate, least) {
  return { name, ours: measured.toFixed(0), theirs: String(rate), ratio: measured / rate, bound: atLeast(least) };
}

/** A row for a figure and its limit; `shown` writes both for people. */
export function limited(name, found, limit, shown) {
  return { name, ours: shown(found), theirs: shown(limit), ratio: found / limit, bound: atMost(1) };
}

export function atMost(limit) {
  return { sense: "<=", limit };
}

export function atLeast(limit) {
  return { sense: ">=", limit };
}

/** Judges the ratio as it is shown. */
function mark(ratio, { sense, limit }) {
  const shown = Number(ratio.toFixed(2));
  return (sense === "<=" ? shown > limit : shown < limit) ? "   LIMIT MISSED" : "";
}
