import { doneView } from "../../output/done.ts";
import { removeRun } from "../../runs/removal.ts";
import { runFiles } from "../../runs/run-files.ts";
import { confirmLoss } from "../shared/confirmation.ts";
import type { Context } from "../shared/context.ts";
import type { GlobalOptions } from "../shared/options.ts";
import { stateOf } from "../shared/state.ts";

/** Removes a run after asking. */
export async function removeRecordedRun(
  name: string,
  options: GlobalOptions,
  { host, presenter }: Context,
): Promise<void> {
  await removeRun(runFiles(stateOf(host), name), host.processes, () =>
    confirmLoss(`Remove run ${name}? It can then neither be resumed nor shown.`, options, host),
  );
  presenter.show(doneView({ removed: name }, `Removed run ${name}.`));
}
