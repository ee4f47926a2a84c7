import type { Tally } from "../runs/ledger.ts";
import type { Host } from "../host.ts";
import { plural } from "./text.ts";

/** One line on a terminal that tells how far a run is. */
export interface Progress {
  readonly begin: (recipients: number) => void;
  readonly show: (tally: Tally) => void;
  readonly clear: () => void;
}

/** Milliseconds between two paintings: more often is more than an eye takes in. */
const interval = 100;

const clearLine = "\r\u001b[2K";

/** The progress line, where a person looks on; undefined elsewhere. */
export function progressLine({ stderr, terminal, environment, now }: Host): Progress | undefined {
  if (terminal() === undefined || environment["TERM"] === "dumb" || environment["CI"]) return undefined;
  let recipients = 0;
  let began = now();
  let doneBefore: number | undefined;
  let painted = 0;
  let isShown = false;
  return {
    begin: (count) => {
      recipients = count;
      began = now();
    },
    show: (tally) => {
      const done = recipients - tally.pending;
      doneBefore ??= done - 1;
      if (now() - painted < interval) return;
      painted = now();
      const perMs = (done - doneBefore) / Math.max(1, painted - began);
      const left = tally.pending === 0 ? "" : `, ${timeText(tally.pending / perMs)} left`;
      const rate = Math.round(perMs * 60_000);
      const text = `${done} of ${recipients}, ${rate} a minute${left}, ${plural(tally.totalCredits, "credit")}`;
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
