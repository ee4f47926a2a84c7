import { actorText, agoText } from "../../terminal/text.ts";
import { fitted } from "../../terminal/layout.ts";
import { failureLine, failuresText, gatherFailures } from "../../sending/views/run-failures.ts";
import {
  nextText,
  recipientJson,
  resumeCommand,
  resumeText,
  summaryJson,
  summaryText,
} from "../../sending/views/run-summary.ts";
import type { LongView } from "../../terminal/presenter.ts";
import type { ListedRun } from "../../reports/run.ts";
import type { RecordedRun, RunHolder } from "../../record/runs.ts";
import type { Context } from "../../terminal/context.ts";
import { whileReading } from "../../sending/views/run-progress.ts";

/** Shows what became of a run. `failed` lists all who were not accepted. */
export function showRun(
  name: string,
  { failed, profile }: { readonly failed: boolean; readonly profile: string | undefined },
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  return whileReading({ name, profile }, context, async (run, runs) =>
    presenter.stream(
      runView({ ...run, tally: run.ledger.tally() }, { sender: await runs.holder(name), failed, now: host.now() }),
    ),
  );
}

export interface ShownRun extends ListedRun, Pick<RecordedRun, "readResults"> {}

/** Without the next step while `sender` is sending it. `now` is in milliseconds. */
export function runView(
  { header, by: beganBy, tally, readResults }: ShownRun,
  { sender, failed, now }: { readonly sender: RunHolder | undefined; readonly failed: boolean; readonly now: number },
): LongView {
  const { name, started, binding, plan, isSandbox } = header;
  return {
    json: async function* json(page) {
      for await (const { message, outcome, by } of readResults()) {
        if (!failed || outcome?.kind !== "accepted") yield recipientJson(message, outcome, { page, by });
      }
      const summary = summaryJson(name, tally, tally.accepted === plan.messages ? "accepted" : "incomplete");
      const holder = sender === undefined ? {} : { holder: page.redacted(sender.process) };
      yield { ...summary, started, baseUrl: binding.baseUrl, mode: binding.mode, ...beganBy, ...holder };
    },
    text: async function* text(page) {
      yield summaryText(name, { tally, payment: { mode: binding.mode, isSandbox: isSandbox === true } }, page);
      const began = agoText(Date.parse(started), now) + (beganBy === undefined ? "" : ` by ${actorText(beganBy)}`);
      const origin = page.foreign(`started ${began}, ${binding.mode}, at ${binding.baseUrl}`);
      yield `${fitted(page, origin, 2)}\n`;
      const failures = gatherFailures();
      let others = 0;
      for await (const { message, outcome } of readResults()) {
        if (outcome?.kind === "accepted" || (outcome === undefined && !failed)) continue;
        others++;
        if (failed || outcome === undefined) yield failureLine(message, outcome, page);
        else failures.add(message, outcome);
      }
      yield failuresText({ failures, all: others, more: "--failed lists them" }, page);
      if (sender !== undefined) return yield `${fitted(page, senderText(name, sender), 2)}\n`;
      if (tally.isClosed) return yield `${fitted(page, "Closed: nothing more is sent under this name.", 2)}\n`;
      const resume = resumeCommand(name, { profile: header.profile });
      yield resumeText({ resume, tally }, page);
      if (tally.uncertain > 0)
        yield nextText(`${resume} --retry uncertain`, "once you know that they did not arrive", page);
    },
  };
}

function senderText(run: string, { process, isSure }: RunHolder): string {
  if (isSure) return `Now: ${process} is sending it; wait until it ends, or stop it there.`;
  return `Now: ${process} may be sending it; if you know that it is gone, sms runs unlock ${run}`;
}
