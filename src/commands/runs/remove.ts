import { doneView } from "../../output/done.ts";
import { removeRun } from "../../runs/removal.ts";
import { runFiles } from "../../runs/run-files.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import { keepInHistory } from "../shared/history.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";

/** Removes a run after asking. */
export async function removeRecordedRun(name: string, options: GlobalOptions, context: Context): Promise<void> {
  const { host, presenter } = context;
  const files = runFiles(stateOf(host), name);
  await removeRun(files, host.processes, async () => {
    await confirmLoss(`Remove run ${name}? It can then neither be resumed nor shown.`, options, host);
    await keepInHistory(files, context);
  });
  presenter.show(doneView({ removed: name }, `Removed run ${name}.`));
}
