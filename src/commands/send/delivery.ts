import { type Message, membersOf } from "../../core/fields.ts";
import type { Outcome } from "../../core/outcome.ts";
import { deliver, type DeliveryLimits } from "../../delivery/deliver.ts";
import { type EndingKind, endingOf } from "../../errors.ts";
import { receiptView } from "../../output/receipt.ts";
import { showSend } from "../../output/send-progress.ts";
import { countText, onceHint, plural, sendHint } from "../../output/text.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { wireRequest } from "../../service/request.ts";
import { openDispatcher } from "../../service/transport.ts";
import { userAgent } from "../../version.ts";
import type { Context } from "../shared/context.ts";
import type { Destination } from "../shared/destination.ts";

/** What became of one message. */
export interface SentMessage {
  readonly outcome: Outcome;
  /** When its request had not begun yet. Milliseconds since 1970. */
  readonly begun: number;
  /** When an earlier command sent it under the same key of `--once`, in ISO 8601, if this one did not. */
  readonly replayed?: {
    readonly at: string;
    /** Whether nobody knew the outcome before. */
    readonly isNew: boolean;
  };
}

/** Sends a message, and shows the progress. `onRequest` hears when a request may have begun, and when it was provably not sent. */
export async function sendMessage(
  message: Message,
  destination: Destination,
  limits: DeliveryLimits,
  { host, presenter, redactor }: Context,
  onRequest: (mayHaveBegun: boolean) => void = () => {},
): Promise<SentMessage> {
  const request = wireRequest(destination, membersOf(message), userAgent);
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
        if (step.value.kind !== "exchange") onRequest(step.value.kind === "request");
        progress.event(step.value);
      }
      return { outcome: step.value, begun };
    });
  } finally {
    await dispatcher.destroy();
  }
}

/** Presents what became of a message, and returns how the command ends. `expected` is its segments by our own count. */
export function report(
  { outcome, replayed }: SentMessage,
  expected: number,
  isOnce: boolean,
  destination: Destination,
  { host, presenter }: Context,
): EndingKind {
  const { stop } = host.interruption();
  const interrupted = stop.aborted ? endingOf(stop) : undefined;
  const source = credentialsSource(destination);
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (replayed === undefined && segments !== undefined && segments !== expected) {
      presenter.warn(`the service counted ${plural(segments, "segment")}, but sms had counted ${countText(expected)}`);
    }
    presenter.show(receiptView(outcome.receipt, destination, source, destination.otherService, replayed?.at));
    return interrupted ?? "accepted";
  }
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  const hint = outcome.kind === "unsent" && interrupted === undefined ? outcome.hint : undefined;
  const reason = outcome.kind === "unsent" ? (interrupted ?? kind) : kind;
  const usual =
    isOnce && outcome.kind === "uncertain" ? onceHint : sendHint(reason, source, destination.sources.baseUrl);
  if (destination.otherService !== undefined) presenter.note(`The service is ${destination.otherService}.`);
  presenter.fail({
    kind: interrupted ?? kind,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    hint: hint ?? usual,
    ...(replayed !== undefined && {
      replayed: true,
      details: [`This is the outcome of the message of ${replayed.at}: nothing was sent now.`],
    }),
  });
  return interrupted ?? kind;
}
