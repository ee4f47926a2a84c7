import { isLive } from "../../service/credentials.ts";
import type { Receipt } from "../../message/outcome.ts";
import { type EndingKind, endingOf } from "../../errors.ts";
import { countText, plural } from "../../words/count.ts";
import { alignedLines, kes, modeText, paragraph, sendHint } from "../../terminal/text.ts";
import type { View } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import type { Destination } from "../destination.ts";
import type { Replayed, SettledMessage } from "./once.ts";
import type { ReadyMessage } from "./prepared.ts";

export function report({ outcome, replayed }: SettledMessage, prepared: ReadyMessage): EndingKind {
  const { message, destination, once, context } = prepared;
  const { host, presenter } = context;
  const { stop } = host.interruption();
  const interrupted = stop.aborted ? endingOf(stop) : undefined;
  const source = credentialsSource(destination);
  if (outcome.kind === "accepted") {
    const { segments } = outcome.receipt;
    if (replayed === undefined && segments !== undefined && segments !== message.segments) {
      const counted = `the service counted ${plural(segments, "segment")}`;
      presenter.warn(`${counted}, but sms had counted ${countText(message.segments)}`);
    }
    presenter.show(receiptView(outcome.receipt, destination, replayed));
    if (replayed?.mode === "test" && destination.mode !== "test")
      presenter.warn("the message before was sent with a test key, so no phone received it");
    return interrupted ?? "accepted";
  }
  const { kind, error, errorCode, httpStatus } = outcome.failure;
  const hint = outcome.kind !== "uncertain" && interrupted === undefined ? outcome.hint : undefined;
  const reason = outcome.kind === "unsent" ? (interrupted ?? kind) : kind;
  const doubtHint = outcome.kind === "uncertain" ? once?.doubtHint : undefined;
  const usual = doubtHint ?? sendHint(reason, source, destination.sources.baseUrl);
  presenter.fail({
    kind: interrupted ?? kind,
    message: error,
    errorCode,
    httpStatus,
    outcome: outcome.kind,
    reachesPhone: isLive(replayed?.mode ?? destination.mode) && !destination.isSandbox,
    hint: hint ?? usual,
    ...(replayed !== undefined && { replayed: true, details: [replayText(replayed)] }),
  });
  if (destination.otherService !== undefined) presenter.note(`  Service: ${destination.otherService}`);
  return interrupted ?? kind;
}

function replayText({ at, until }: Replayed): string {
  const paused = until === undefined ? "" : `, and nothing is sent until ${until}`;
  return `This is the outcome of the message of ${at}: nothing was sent now${paused}.`;
}

function receiptView(receipt: Receipt, destination: Destination, replayed: Replayed | undefined): View {
  const { messageId, to, senderId, status, segments, totalCredits, totalCostKes, newBalance } = receipt;
  const { otherService, isSandbox } = destination;
  const { mode } = replayed ?? destination;
  return {
    json: ({ redacted }) => {
      // `to` is the number we sent to; all other texts are the service's.
      const texts = Object.entries(receipt).map(([name, value]) =>
        typeof value === "string" && name !== "to" ? [name, redacted(value)] : [name, value],
      );
      return { ...Object.fromEntries(texts), mode, ...(replayed && { replayed: true }) };
    },
    quiet: () => [visible(messageId)],
    text: (page) => {
      const { paint, foreign, isTerminal, columns } = page;
      const state = status === undefined || status === "queued" ? "Queued" : `Accepted (${foreign(status)})`;
      const from = senderId === undefined ? "" : ` from ${foreign(senderId)}`;
      const paused = replayed?.until === undefined ? "" : `, and nothing is sent until ${replayed.until}`;
      const headline =
        replayed === undefined
          ? `${state} for ${to}${from}`
          : `Nothing was sent now: the message to ${to}${from} was sent at ${replayed.at}${paused}`;
      const isOurs = mode !== "sandbox" && paused === "";
      const source = isOurs ? ` (from ${foreign(credentialsSource(destination))})` : "";
      const left = replayed === undefined ? "left" : "left then";
      const cost = [
        ...(totalCredits === undefined ? [] : [plural(totalCredits, "credit")]),
        ...(totalCostKes === undefined ? [] : [kes(totalCostKes)]),
      ];
      const lines = [
        ["Message", foreign(messageId)],
        ["Segments", segments === undefined ? unreported : String(segments)],
        [isLive(mode) && !isSandbox ? "Cost" : "Would cost", cost.join(", ") || unreported],
        ["Balance", newBalance === undefined ? unreported : `${plural(newBalance, "credit")} ${left}`],
        ["Mode", `${modeText({ mode, isSandbox })}${source}`],
        ...(otherService === undefined ? [] : [["Service", foreign(otherService)] as const]),
      ] as const;
      return `${paint.good("✓")} ${isTerminal ? paragraph(headline, { columns, used: 2, indent: 2 }) : headline}\n${alignedLines(page, lines)}`;
    },
  };
}

const unreported = "not reported";
