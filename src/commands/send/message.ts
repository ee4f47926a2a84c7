import { ageInDays, rotationWarning } from "../../core/key.ts";
import { numberKey } from "../../core/number-key.ts";
import type { Outcome } from "../../core/outcome.ts";
import { countSegments } from "../../core/segments.ts";
import { deliver, type DeliveryLimits } from "../../delivery/deliver.ts";
import { type EndingKind, endingOf } from "../../errors.ts";
import { type Guard, holdOf, holdOfAll, rulesOf } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import type { Presenter } from "../../output/presenter.ts";
import { receiptView } from "../../output/receipt.ts";
import { showSend } from "../../output/send-progress.ts";
import { countText, plural, sendHint } from "../../output/text.ts";
import { type ChosenProfile, chooseProfile, credentialsSource, loadStore } from "../../profiles/resolve.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { payerOf } from "../../profiles/payer.ts";
import { cacheOutcome } from "../../profiles/state.ts";
import { prepareMessage, refuseHeld } from "../../recipients/message.ts";
import { recordSend } from "../../record/sends.ts";
import { type Message, sendFields, wireRequest } from "../../service/request.ts";
import { openDispatcher } from "../../service/transport.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "../shared/context.ts";
import { requireWithin } from "../shared/credit-limit.ts";
import { type Destination, openDestination, planOrigin } from "../shared/destination.ts";
import { historyOf } from "../shared/history.ts";
import { priceOf } from "../shared/price.ts";
import { sendDefaults } from "../shared/defaults.ts";
import { openGuards, openOptOuts, readingLists, requireOpen } from "../shared/guards.ts";
import type { SendOptions } from "./flags.ts";
import { warningTexts } from "./notes.ts";
import { readMessageRequest } from "./request.ts";

/** Sends one message and reports its outcome. Throws if nothing can be sent. */
export async function sendOne(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  // The sandbox does not have this person's senders.
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const request = await readMessageRequest(options, defaults, context);
  const lists = await presenter.waitFor(readingLists, () => openGuards(options, chosen, request.country, false, host));
  const { message, notes } = await prepareMessage({ ...request, guards: lists });
  for (const warning of warningTexts(notes)) presenter.warn(warning);
  const history = chosen && historyOf(host, chosen.profile);
  const destination = await openDestination(options, chosen, context);
  try {
    warnOfRotation(destination, context);
    const guards = [...lists, ...(await hoursGuards(options, chosen, destination, host))];
    const count = countSegments(message.text);
    if (options.dryRun) {
      const { sendPlanView } = await import("../../output/send-plan.ts");
      const plan = {
        ...message,
        mode: destination.mode,
        count,
        guards: rulesOf(guards),
        origin: planOrigin(destination),
      };
      presenter.show(sendPlanView(plan, priceOf(destination, host)));
    }
    requireOpen(guards, "the same command", host);
    if (options.dryRun) return "accepted";
    requireWithin(options.maxCredits, count.segments);
    // A key command may have taken its time.
    if (destination.keyCommand !== undefined) refuseHeld(holdOf(await openOptOuts(host, false), numberKey(message.to)));
    const mayRetry = () => holdOfAll(guards, host.wallClock()) === undefined;
    const limits = { timeout: options.timeout * 1000, retries: options.retries, mayRetry };
    const { outcome, begun } = await carryOut(message, destination, limits, context);
    const payer = payerOf(destination, chosen?.profile);
    const { to, sender } = message;
    const sent = { to, sender, payer, ...count, mode: destination.mode, begun, at: host.now(), outcome };
    // Before the result is shown: whoever has seen it finds it in the history.
    const problem = history && recordSend(history, sent);
    if (problem !== undefined) presenter.warn(`this message is not in the history: ${problem}`);
    const ending = report(outcome, count.segments, destination, host.interruption().stop, presenter);
    if (chosen !== undefined) cacheOutcome(stateFolder(host), destination, outcome, host.now());
    return ending;
  } finally {
    await destination.close();
  }
}

/** Returns the guards of the hours, which most sends do not have. */
async function hoursGuards(
  options: SendOptions,
  chosen: ChosenProfile | undefined,
  { mode }: Destination,
  host: Host,
): Promise<readonly Guard[]> {
  if ((options.between ?? options.zone ?? chosen?.profile?.defaults.hours) === undefined) return [];
  const { hoursOf } = await import("../shared/hours.ts");
  return (await hoursOf(options, undefined, chosen, mode, host)).guards;
}

/** Warns at a terminal only: a script cannot rotate a key, and its output should not change with the date. */
function warnOfRotation({ key }: Destination, { host, presenter }: Context): void {
  const warning = key && rotationWarning(key.name, ageInDays(key.added, host.now()));
  if (warning !== undefined && host.terminal() !== undefined) presenter.warn(warning);
}

async function carryOut(
  message: Message,
  destination: Destination,
  limits: DeliveryLimits,
  { host, presenter, redactor }: Context,
): Promise<{ readonly outcome: Outcome; readonly begun: number }> {
  const request = wireRequest(destination, sendFields(message), userAgent);
  host.limitLookups(limits.timeout);
  const dispatcher = await openDispatcher(destination.address.origin, destination.proxy);
  const interruption = host.interruption();
  const progress = showSend(message.to, limits.timeout, presenter, host);
  const { redactForeign: redact } = redactor;
  try {
    return await presenter.waitFor(progress.wait, async () => {
      const delivery = deliver(request, message.to, limits, { ...host, dispatcher, interruption, redact });
      let begun = host.now();
      let step = await delivery.next();
      for (; step.done !== true; step = await delivery.next()) {
        if (step.value.kind === "request") begun = host.now();
        progress.event(step.value);
      }
      return { outcome: step.value, begun };
    });
  } finally {
    await dispatcher.destroy();
  }
}

function report(
  outcome: Outcome,
  expected: number,
  destination: Destination,
  stop: AbortSignal,
  presenter: Presenter,
): EndingKind {
  const interrupted = stop.aborted ? endingOf(stop) : undefined;
  const source = credentialsSource(destination);
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (segments !== undefined && segments !== expected) {
      presenter.warn(`the service counted ${plural(segments, "segment")}, but sms had counted ${countText(expected)}`);
    }
    presenter.show(receiptView(outcome.receipt, destination.mode, source, destination.otherService));
    return interrupted ?? "accepted";
  }
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  const hint = outcome.kind === "unsent" && interrupted === undefined ? outcome.hint : undefined;
  const reason = outcome.kind === "unsent" ? (interrupted ?? kind) : kind;
  if (destination.otherService !== undefined) presenter.note(`The service is ${destination.otherService}.`);
  presenter.fail({
    kind: interrupted ?? kind,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    hint: hint ?? sendHint(reason, source, destination.sources.baseUrl),
  });
  return interrupted ?? kind;
}
