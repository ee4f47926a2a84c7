import type { Tally } from "../runs/ledger.ts";
import type { Host } from "../host.ts";
import { countText, plural } from "./text.ts";

/** Shows how far a run is. */
export type ShowProgress = (tally: Tally) => void;

/** One line on a terminal that shows how far a run is. */
export interface Progress {
  readonly show: ShowProgress;
  readonly clear: () => void;
}

/** Milliseconds between two updates. */
const interval = 100;

const clearLine = "\r\u001b[2K";

/** Returns the progress line of a run; undefined if nobody watches a terminal. */
export function progressLine({ stderr, terminal, environment, now }: Host): Progress | undefined {
  if (terminal() === undefined || environment["TERM"] === "dumb" || environment["CI"]) return undefined;
  const began = now();
  let doneBefore: number | undefined;
  let painted = 0;
  let isShown = false;
  return {
    show: (tally) => {
      const all = tally.accepted + tally.rejected + tally.unsent + tally.uncertain + tally.pending;
      const done = all - tally.pending;
      doneBefore ??= done - 1;
      if (now() - painted < interval) return;
      painted = now();
      const perMs = (done - doneBefore) / Math.max(1, painted - began);
      const left = tally.pending === 0 ? "" : `, ${timeText(tally.pending / perMs)} left`;
      const rate = countText(Math.round(perMs * 60_000));
      const text = `${countText(done)} of ${countText(all)}, ${rate} a minute${left}, ${plural(tally.totalCredits, "credit")}`;
      stderr.write(`${clearLine}${text.slice(0, stderr.columns() - 1)}`);
      isShown = true;
    },
    clear: () => {
      if (isShown) stderr.write(clearLine);
      isShown = false;
    },
  };
}

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
