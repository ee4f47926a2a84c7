import { runView } from "../../output/run-report.ts";
import { reportRun } from "../../runs/report.ts";
import { runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import { stateOf } from "../shared/state.ts";

/** Shows what became of a run. `failed` lists all who were not accepted. */
export async function showRun(name: string, failed: boolean, { host, presenter }: Context): Promise<void> {
  const report = await reportRun(runFiles(stateOf(host), name), mostInFlight);
  await presenter.stream(runView(report, failed, host.now()));
}
