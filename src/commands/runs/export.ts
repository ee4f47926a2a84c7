import { type ExportForm, exportView } from "../../output/run-export.ts";
import { reportRun } from "../../runs/report.ts";
import { runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import { stateOf } from "../shared/state.ts";

/** Prints every recipient of a run and what became of them. */
export async function exportRun(name: string, form: ExportForm, { host, presenter }: Context): Promise<void> {
  const report = await reportRun(runFiles(stateOf(host), name), mostInFlight);
  await presenter.stream(exportView(report, form));
  const { pending, unsent, uncertain } = report.tally;
  if (form.failed && pending + unsent + uncertain > 0) {
    presenter.note(`Only what was rejected is exported: \`sms runs resume ${name}\` continues the rest.`);
  }
}
