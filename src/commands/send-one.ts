import { secretsOf } from "../core/credentials.ts";
import type { Outcome } from "../core/outcome.ts";
import { deliver, type DeliveryEvent, type DeliveryLimits } from "../delivery/deliver.ts";
import { planSend, type SendPlan } from "../delivery/plan.ts";
import type { EndingKind } from "../errors.ts";
import type { Reporter } from "../output/reporter.ts";
import { sendHint } from "../output/text.ts";
import { wireLog } from "../output/wire-log.ts";
import { sendFields, sendPath, wireRequest } from "../service/request.ts";
import { openDispatcher } from "../service/transport.ts";
import { userAgent } from "../version.ts";
import type { Context } from "./context.ts";
import { type Destination, openDestination } from "./destination.ts";
import type { SendFlags } from "./send.ts";
import { readSendRequest } from "./send-request.ts";

/** Sends one message and reports what became of it. Throws for what stops it before anything is sent. */
export async function sendOne(flags: SendFlags, context: Context, reporter: Reporter): Promise<EndingKind> {
  const { message, warnings } = await readSendRequest(flags, context.host);
  for (const warning of warnings) reporter.warn(warning);
  const destination = await openDestination(flags, context.host);
  try {
    const plan = planSend(message, destination.mode);
    if (flags.dryRun) {
      reporter.planned(plan);
      return "accepted";
    }
    const limits = { timeout: flags.timeout * 1000, retries: flags.retries };
    const log = flags.verbose ? wireLog(context.host, context.redactor) : undefined;
    const outcome = await carryOut(plan, destination, limits, context, (event) => {
      log?.(event);
      reporter.event(event);
    });
    return report(outcome, plan, destination, context.host.interruption().stop, reporter);
  } finally {
    await destination.close();
  }
}

async function carryOut(
  { message }: SendPlan,
  destination: Destination,
  limits: DeliveryLimits,
  { host, redactor }: Context,
  show: (event: DeliveryEvent) => void,
): Promise<Outcome> {
  const request = wireRequest({ ...destination, path: sendPath }, sendFields(message), userAgent);
  for (const secret of secretsOf(destination.credentials)) redactor.learn(secret);
  const dispatcher = await openDispatcher(destination.address.origin, destination.proxy);
  const interruption = host.interruption();
  try {
    const delivery = deliver(request, message.to, limits, { ...host, dispatcher, interruption });
    let step = await delivery.next();
    for (; step.done !== true; step = await delivery.next()) show(step.value);
    return step.value;
  } finally {
    await dispatcher.destroy();
  }
}

function report(
  outcome: Outcome,
  plan: SendPlan,
  { mode, sources }: Destination,
  stop: AbortSignal,
  reporter: Reporter,
): EndingKind {
  const interrupted = stop.aborted ? (stop.reason === "SIGTERM" ? "terminated" : "interrupted") : undefined;
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (segments !== undefined && segments !== plan.count.segments) {
      reporter.warn(`the service counted ${segments} segments where sms had counted ${plan.count.segments}`);
    }
    reporter.accepted(outcome.receipt, mode);
    return interrupted ?? "accepted";
  }
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  reporter.failed({
    kind: interrupted ?? kind,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    hint: sendHint(kind, sources.credentials, sources.baseUrl),
  });
  return interrupted ?? kind;
}
