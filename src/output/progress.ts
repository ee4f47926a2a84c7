import { countText, kes } from "./text.ts";

/** How far a run is. Counts are of the whole run unless they say otherwise. */
export interface Progress {
  readonly all: number;
  readonly done: number;
  /** Done, and not accepted. */
  readonly failed: number;
  /** Charged so far, in KES. */
  readonly cost: number;
  /** Messages that this invocation still sends. */
  readonly left: number;
  /** Messages that this invocation has sent, and the milliseconds that it took. */
  readonly sent: number;
  readonly ms: number;
}

const narrowest = 8;
const widest = 30;

/** Returns a bar and figures that fit into that many columns. The least important are left out first. */
export function progressLine(progress: Progress, columns: number): string {
  const { all, done, failed, cost, left, sent, ms } = progress;
  const perMs = sent / Math.max(1, ms);
  // In the order of the line; the least important have the lowest numbers.
  const figures = [
    { weight: 5, text: `${countText(done)} of ${countText(all)}` },
    { weight: 1, text: sent === 0 ? "" : `${countText(Math.round(perMs * 60_000))} a minute` },
    { weight: 3, text: sent === 0 || left === 0 ? "" : `${timeText(left / perMs)} left` },
    { weight: 4, text: failed === 0 ? "" : `${countText(failed)} failed` },
    { weight: 2, text: cost === 0 ? "" : kes(cost) },
  ].filter(({ text }) => text !== "");
  const from = (least: number) => figures.flatMap(({ weight, text }) => (weight < least ? [] : [text])).join(", ");
  const besideBar = [1, 2, 3].map(from).find((text) => columns - text.length > narrowest);
  if (besideBar === undefined) return [1, 2, 3, 4].map(from).find((text) => text.length <= columns) ?? from(5);
  return `${bar(done / Math.max(1, all), Math.min(widest, columns - besideBar.length - 1))} ${besideBar}`;
}

function bar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** Returns a time to wait in words, as in `12 s` or `3 min`. */
function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
