import { exportView } from "../../output/run-export.ts";
import { reportRun } from "../../runs/report.ts";
import { runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import { stateOf } from "../shared/state.ts";

/** Prints every recipient of a run and what became of them. */
export async function exportRun(name: string, format: "csv" | "ndjson", { host, presenter }: Context): Promise<void> {
  await presenter.stream(exportView(await reportRun(runFiles(stateOf(host), name), mostInFlight), format));
}
