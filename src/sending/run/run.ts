// sending/run: many messages. They are planned whole, shown, approved, recorded and sent, and can be resumed.

import type { EndingKind } from "../../errors.ts";
import type { Context } from "../../terminal/context.ts";
import { isToBeSent, openSend } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { approve } from "./approve.ts";
import { beginRun } from "./begin.ts";
import { planRest, planRun } from "./plan.ts";
import { repeatedIn } from "./repeated.ts";
import { reportNobody, reportRun } from "./report.ts";
import { sendAll } from "./send-all.ts";
import { presentPlan } from "./present.ts";

/** A run with `--sandbox` must not run out of credits. */
const sandboxCredits = 1_000_000_000;

/** With a name, the rest of that run is sent. Throws if nothing can be sent. */
export async function sendRun(options: SendOptions, context: Context, name?: string): Promise<EndingKind> {
  await using send = await openSend(options, context, sandboxCredits);
  await using plan = name === undefined ? await planRun(send) : await planRest(name, send);
  const repeats = await repeatedIn(plan, send);
  await presentPlan(plan, repeats, send);
  if (!isToBeSent(send)) return "accepted";
  await approve(plan, repeats, send);
  const run = await context.presenter.waitFor("Beginning the run", () => beginRun(plan, repeats, send));
  if (run === undefined) return reportNobody(plan, repeats, send);
  // A failure must not wait unhandled until the plan is released.
  return await reportRun(await sendAll(run, plan, send), plan, send);
}

export function resumeRun(name: string, options: SendOptions, context: Context): Promise<EndingKind> {
  return sendRun(options, context, name);
}
