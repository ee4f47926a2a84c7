// sending/run: many messages. They are checked, planned, shown, approved, recorded and sent, and can be resumed.

import type { EndingKind } from "../../errors.ts";
import type { Context } from "../../terminal/context.ts";
import { connect, openSend } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { approve } from "./approve.ts";
import { beginRun } from "./begin.ts";
import { planRun } from "./plan.ts";
import { presentPlan } from "./present.ts";
import { repeatedIn } from "./repeated.ts";
import { reportNobody, reportRun } from "./report.ts";
import { checkResume } from "./resume.ts";
import { checkRows } from "./rows.ts";
import { sendAll } from "./send-all.ts";

/** With `resumed`, the rest of that run is sent. Throws if nothing can be sent. */
export async function sendRun(options: SendOptions, context: Context, resumed?: string): Promise<EndingKind> {
  const local = await openSend(options, context);
  const checked = resumed === undefined ? await checkRows(local) : await checkResume(resumed, local);
  await using connected = await connect(local);
  await using plan = await planRun(checked, connected);
  const send = { ...connected, ...plan.effective };
  const repeats = await repeatedIn(plan, send);
  await presentPlan(plan, repeats, send);
  if (send.kind === "dry-run") return "accepted";
  const decided = await approve(plan, repeats, send);
  const run = await context.presenter.waitFor("Beginning the run", () => beginRun(plan, decided, send));
  if (run.kind === "nobody") return await reportNobody(plan, run.repeats, send);
  // Without `await` the plan would be released first, and a failure would be unhandled meanwhile.
  return await reportRun(await sendAll(run, plan, send), send);
}
