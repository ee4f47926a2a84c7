import type { ListedRun } from "../runs/run-list.ts";
import { agoText } from "./ago.ts";
import { listingText } from "./listing.ts";
import type { View } from "./presenter.ts";
import { othersText } from "./run-summary.ts";
import { countText } from "./text.ts";

/** The recorded runs and their counts. `now` is in milliseconds. */
export function runsView(runs: readonly ListedRun[], now: number): View {
  return {
    json: () =>
      runs.map(({ header: { name, started, plan }, tally }) => {
        const { accepted, rejected, unsent, uncertain, pending } = tally;
        return { run: name, started, recipients: plan.messages, accepted, rejected, unsent, uncertain, pending };
      }),
    quiet: () => runs.map(({ header }) => header.name),
    text: (page) => {
      if (runs.length === 0) return "";
      const rows = runs.map(({ header: { name, started, plan }, tally }) => [
        name,
        agoText(Date.parse(started), now),
        `${countText(tally.accepted)} of ${countText(plan.messages)}`,
        othersText(tally),
      ]);
      return listingText(page, [["RUN", "STARTED", "ACCEPTED", "NOT ACCEPTED"], ...rows]);
    },
  };
}
