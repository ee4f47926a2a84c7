import { ageInDays, rotationWarning } from "../../core/key.ts";
import type { Outcome } from "../../core/outcome.ts";
import { deliver, type DeliveryEvent, type DeliveryLimits } from "../../delivery/deliver.ts";
import { planSend, type SendPlan } from "../../delivery/plan.ts";
import { type EndingKind, endingOf } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { Reporter } from "../../output/reporter.ts";
import { sendHint } from "../../output/text.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { chooseProfile, credentialsSource, loadStore } from "../../profiles/resolve.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import { sendFields, wireRequest } from "../../service/request.ts";
import { openDispatcher } from "../../service/transport.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "../shared/context.ts";
import { type Destination, openDestination } from "../shared/destination.ts";
import type { SendOptions } from "./definition.ts";
import { requireWithin } from "../shared/credit-limit.ts";
import { priceOf } from "../shared/price.ts";
import { readSendRequest, sendDefaults } from "./request.ts";

/** Sends one message and reports what became of it. Throws for what stops it before anything is sent. */
export async function sendOne(
  options: SendOptions,
  context: Context,
  reporter: Reporter,
): Promise<EndingKind> {
  const { host } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  // The sandbox knows no sender of the person's.
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const { message, warnings } = await readSendRequest(options, defaults, host);
  for (const warning of warnings) reporter.warn(warning);
  const destination = await openDestination(options, chosen, context);
  try {
    warnOfRotation(destination, host, reporter);
    const plan = planSend(message, destination.mode);
    if (options.dryRun) {
      reporter.planned(plan, priceOf(destination, host));
      return "accepted";
    }
    requireWithin(options.maxCredits, plan.count.segments);
    const limits = { timeout: options.timeout * 1000, retries: options.retries };
    const log = context.presenter.wireLog?.();
    const outcome = await carryOut(plan, destination, limits, context, (event) => {
      log?.(event);
      reporter.event(event);
    });
    const ending = report(outcome, plan, destination, host.interruption().stop, reporter);
    if (chosen !== undefined) {
      cacheOutcome(stateFolder(environment, host.platform, host.home()), destination, outcome, host.now());
    }
    return ending;
  } finally {
    await destination.close();
  }
}

/** A script has nobody who could rotate a key, and its output is not to change with the days. */
function warnOfRotation({ key }: Destination, host: Host, reporter: Reporter): void {
  const warning = key && rotationWarning(key.name, ageInDays(key.added, host.now()));
  if (warning !== undefined && host.terminal() !== undefined) reporter.warn(warning);
}

async function carryOut(
  { message }: SendPlan,
  destination: Destination,
  limits: DeliveryLimits,
  { host }: Context,
  show: (event: DeliveryEvent) => void,
): Promise<Outcome> {
  const request = wireRequest(destination, sendFields(message), userAgent);
  host.limitLookups(limits.timeout);
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
  destination: Destination,
  stop: AbortSignal,
  reporter: Reporter,
): EndingKind {
  const interrupted = stop.aborted ? endingOf(stop) : undefined;
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (segments !== undefined && segments !== plan.count.segments) {
      reporter.warn(`the service counted ${segments} segments where sms had counted ${plan.count.segments}`);
    }
    reporter.accepted(outcome.receipt, destination.mode, credentialsSource(destination));
    return interrupted ?? "accepted";
  }
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  reporter.failed({
    kind: interrupted ?? kind,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    hint: sendHint(
      outcome.kind === "unsent" ? (interrupted ?? kind) : kind,
      credentialsSource(destination),
      destination.sources.baseUrl,
    ),
  });
  return interrupted ?? kind;
}
