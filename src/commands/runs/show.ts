import { runView } from "../../output/run-report.ts";
import { reportRun } from "../../runs/report.ts";
import { senderOf } from "../../runs/run-lock.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import { whileReading } from "./reading.ts";

/** Shows what became of a run. `failed` lists all who were not accepted. */
export function showRun(name: string, failed: boolean, context: Context): Promise<void> {
  const { host, presenter } = context;
  return whileReading(name, context, async (files) =>
    presenter.stream(
      runView(await reportRun(files, mostInFlight), await senderOf(files, host.processes), failed, host.now()),
    ),
  );
}
