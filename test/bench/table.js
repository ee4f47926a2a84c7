// What the benchmark prints.

const columns = { ours: 13, theirs: 13, ratio: 9, limit: 9, aim: 9 };
const nameWidth = 52;

/** The line above the rows of one part. */
export function heading(part) {
  const titles = Object.entries(columns).map(([title, width]) => title.padStart(width));
  return `${part.padEnd(nameWidth)}${titles.join("")}`;
}

/**
 * A row: `name` says what is divided by what, `ours` and `theirs` are both figures for people, `ratio` the number that
 * `limit` and `aim` are for: a `bound` has both of them and is of the sense "<=" or ">=". Or a `note`, which is only text.
 */
export function line({ note, name, ours, theirs, ratio, bound }) {
  if (note !== undefined) return `  ${note}`;
  const limits = bound ? [bound.limit, bound.aim].map((each) => each && `${bound.sense} ${each}`) : [];
  const cells = [ours, theirs, ratio.toFixed(ratio < 100 ? 2 : 0), ...limits];
  const widths = Object.values(columns);
  const text = widths.map((width, index) => (cells[index] ?? "").padStart(width)).join("");
  return `  ${name.padEnd(nameWidth - 2)}${text}${bound ? mark(ratio, bound) : ""}`.trimEnd();
}

/** No more than so much, and better no more than `aim`. */
export function atMost(limit, aim) {
  return { sense: "<=", limit, aim };
}

/** No less than so much, and better no less than `aim`. */
export function atLeast(limit, aim) {
  return { sense: ">=", limit, aim };
}

/** Judges the ratio as it is shown. */
function mark(ratio, { sense, limit, aim }) {
  const shown = Number(ratio.toFixed(2));
  const misses = (bound) => (sense === "<=" ? shown > bound : shown < bound);
  if (misses(limit)) return "   LIMIT MISSED";
  return aim !== undefined && misses(aim) ? "   aim missed" : "";
}
