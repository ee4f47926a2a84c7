import { doneView } from "../../output/done.ts";
import { configFolder } from "../../profiles/folders.ts";
import { keepRun } from "../../record/removed-runs.ts";
import { removeRun } from "../../runs/removal.ts";
import { runFiles } from "../../runs/run-files.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import { historyOf } from "../shared/history.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";

/** Removes a run after asking. */
export async function removeRecordedRun(
  name: string,
  options: GlobalOptions,
  { host, presenter }: Context,
): Promise<void> {
  const files = runFiles(stateOf(host), name);
  await removeRun(files, host.processes, async () => {
    await confirmLoss(`Remove run ${name}? It can then neither be resumed nor shown.`, options, host);
    const problem = historyOf(host, undefined) && (await keepRun(files, configFolder(host)));
    if (problem !== undefined) presenter.warn(`the history loses this run: ${problem}`);
  });
  presenter.show(doneView({ removed: name }, `Removed run ${name}.`));
}
