import type { Receipt } from "../../message/outcome.ts";
import { type EndingKind, endingOf } from "../../errors.ts";
import { countText, plural } from "../../words/count.ts";
import { alignedLines, kes, modeText, paragraph, reachesPhone, sendHint, visible } from "../../terminal/text.ts";
import type { View } from "../../terminal/context.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { type Destination, isInProcess } from "../destination.ts";
import type { Replay } from "../once-key.ts";
import type { Send } from "../opening.ts";
import type { CountedMessage } from "./allowed.ts";
import type { Delivery } from "./delivery.ts";

export function report(
  { outcome, replay }: Delivery,
  message: Pick<CountedMessage, "segments">,
  { destination, once, context }: Send,
): EndingKind {
  const { host, presenter } = context;
  const { stop } = host.interruption();
  const signalEnding = stop.aborted ? endingOf(stop) : undefined;
  const source = credentialsSource(destination);
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (replay === undefined && segments !== undefined && segments !== message.segments) {
      const ofService = `the service counted ${plural(segments, "segment")}`;
      presenter.warn(`${ofService}, but sms had counted ${countText(message.segments)}`);
    }
    presenter.show(receiptView(outcome.receipt, destination, replay));
    if (replay?.mode === "test" && destination.mode !== "test")
      presenter.warn("the message before was sent with a test key, so no phone received it");
    return signalEnding ?? "accepted";
  }
  const { kind: ending, error, errorCode, httpStatus } = outcome.failure;
  const hint = outcome.kind !== "uncertain" && signalEnding === undefined ? outcome.hint : undefined;
  const reason = outcome.kind === "unsent" ? (signalEnding ?? ending) : ending;
  const isOnPhone = reachesPhone(replay ?? destination);
  const doubt = once?.doubtHint ?? "sms never repeats it by itself";
  const question = isOnPhone ? "it arrived" : "the service took it";
  const doubtHint = `find out whether ${question} before you send it again: ${doubt}`;
  const usual = outcome.kind === "uncertain" ? doubtHint : sendHint(reason, source, destination.sources.baseUrl);
  presenter.fail({
    kind: signalEnding ?? ending,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    reachesPhone: isOnPhone,
    hint: hint ?? usual,
    ...(replay !== undefined && {
      replayed: true,
      details: [`This is the outcome of the message of ${replay.at}: nothing was sent now${replay.pause}.`],
    }),
  });
  if (destination.otherService !== undefined) presenter.note(`  Service: ${destination.otherService}`);
  return signalEnding ?? ending;
}

function receiptView(receipt: Receipt, destination: Destination, replay: Replay | undefined): View {
  const { messageId, to, senderId, status, segments, totalCredits, totalCostKes, newBalance } = receipt;
  const { otherService } = destination;
  const { mode, isSandbox } = replay ?? destination;
  return {
    json: ({ redact }) => {
      // `to` is the number we sent to; all other texts are the service's.
      const texts = Object.entries(receipt).map(([name, value]) =>
        typeof value === "string" && name !== "to" ? [name, redact(value)] : [name, value],
      );
      return { ...Object.fromEntries(texts), mode, outcome: "accepted", ...(replay && { replayed: true }) };
    },
    quiet: () => [visible(messageId)],
    text: (page) => {
      const { paint, foreign, columns } = page;
      const state = status === undefined || status === "queued" ? "Queued" : `Accepted (${foreign(status)})`;
      const from = senderId === undefined ? "" : ` from ${foreign(senderId)}`;
      const headline =
        replay === undefined
          ? `${state} for ${to}${from}`
          : `Nothing was sent now: the message to ${to}${from} was sent at ${replay.at}${replay.pause}`;
      const isOurs = !isInProcess({ mode }) && !replay?.pause;
      const source = isOurs ? ` (from ${foreign(credentialsSource(destination))})` : "";
      const rest = replay === undefined ? "left" : "left then";
      const credits = totalCredits === undefined ? [] : [plural(totalCredits, "credit")];
      const cost = [...credits, ...(totalCostKes === undefined ? [] : [kes(totalCostKes)])];
      const lines = [
        ["Message", foreign(messageId)],
        ["Segments", segments === undefined ? unreported : String(segments)],
        [reachesPhone({ mode, isSandbox }) ? "Cost" : "Would cost", cost.join(", ") || unreported],
        ["Balance", newBalance === undefined ? unreported : `${plural(newBalance, "credit")} ${rest}`],
        ["Mode", `${modeText({ mode, isSandbox })}${source}`],
        ["Service", foreign(otherService ?? "")],
      ] as const;
      return `${paint.good("✓")} ${paragraph(headline, { columns, column: 2, indent: 2 })}\n${alignedLines({ ...page, isTerminal: true }, lines)}`;
    },
  };
}

const unreported = "not reported";
