import { type ExportForm, exportView } from "../../output/run-export.ts";
import { reportRun } from "../../runs/report.ts";
import type { Context } from "../shared/context.ts";
import { mostInFlight } from "../shared/limits.ts";
import { whileReading } from "./reading.ts";

/** Prints every recipient of a run and what became of them. */
export async function exportRun(name: string, form: ExportForm, context: Context): Promise<void> {
  const { presenter } = context;
  const { due, uncertain } = await whileReading(name, context, async (files) => {
    const report = await reportRun(files, mostInFlight);
    await presenter.stream(exportView(report, form));
    return report.tally;
  });
  if (!form.failed) return;
  if (due > 0) {
    presenter.note(`What \`sms runs resume ${name}\` sends is not exported.`);
  } else if (uncertain > 0) {
    presenter.note(`What is uncertain is not exported: \`sms runs show ${name}\` says what is known of it.`);
  }
}
