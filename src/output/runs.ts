import type { ListedRun } from "../runs/run-list.ts";
import type { View } from "./presenter.ts";
import { tableText } from "./table.ts";
import { countText } from "./text.ts";

const heading = ["RUN", "STARTED", "RECIPIENTS", "ACCEPTED", "REJECTED", "NOT SENT", "UNCERTAIN", "NOT TRIED"] as const;

/** The recorded runs and their counts. */
export function runsView(runs: readonly ListedRun[]): View {
  const listed = runs.map(({ header: { name, started, plan }, tally }) => {
    const { accepted, rejected, unsent, uncertain, pending } = tally;
    return { run: name, started, recipients: plan.messages, accepted, rejected, unsent, uncertain, pending };
  });
  return {
    json: () => listed,
    quiet: () => listed.map(({ run }) => run),
    text: () => {
      if (listed.length === 0) return "";
      const rows = listed.map((row) =>
        Object.values(row).map((value) => (typeof value === "number" ? countText(value) : value)),
      );
      return tableText([heading, ...rows]);
    },
  };
}
