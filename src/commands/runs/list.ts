import { runsView } from "../../output/runs.ts";
import { listRuns } from "../../runs/run-list.ts";
import type { Context } from "../shared/context.ts";
import { stateFolder } from "../../profiles/folders.ts";

/** Lists the recorded runs, and names those that cannot be read. */
export async function listRecordedRuns({ host, presenter }: Context): Promise<void> {
  const state = stateFolder(host);
  const { runs, damaged } = state === undefined ? { runs: [], damaged: [] } : await listRuns(state);
  for (const { name, reason } of damaged) presenter.trace(`Warning: run ${name} cannot be read: ${reason}`);
  if (runs.length === 0) presenter.note("No runs are recorded.");
  presenter.show(runsView(runs));
}
