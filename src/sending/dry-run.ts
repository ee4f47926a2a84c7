import type { EndingKind } from "../errors.ts";
import { rulesOf } from "../guards/guard.ts";
import { countSegments } from "../message/segments.ts";
import type { Context } from "../terminal/context.ts";
import { accountOf, planOrigin } from "./destination.ts";
import type { SendOptions } from "./options.ts";
import { type PreparedMessage, requireSendable } from "./single.ts";
import { sendPlanView } from "./views/run-plan.ts";

/** Shows what would be sent. Throws if it would be refused now. */
export async function showPlan(prepared: PreparedMessage, options: SendOptions, context: Context): Promise<EndingKind> {
  const { message, chosen, guards, destination, once } = prepared;
  const { host, presenter } = context;
  const used = await once?.find();
  const rules = [...(await rulesOf(guards)), ...(once === undefined ? [] : [once.rule(used)])];
  const { mode, isSandbox } = destination;
  const plan = {
    ...message,
    mode,
    isSandbox,
    count: countSegments(message.text),
    guards: rules,
    origin: planOrigin(destination),
  };
  presenter.show(sendPlanView(plan, (await accountOf(destination, host, chosen)).price));
  if (used === undefined) await requireSendable(prepared, options, host);
  return "accepted";
}
