import type { Receipt } from "../core/outcome.ts";
import { alignedLines } from "./aligned.ts";
import type { Page, View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { kes, modeText, type Payment, plural, serviceLine } from "./text.ts";

/**
 * The receipt for one message. `source` says where the credentials came from, `service` is the base URL if it is not the
 * profile's, and `sentAt` when an earlier command sent it, in ISO 8601, if this one did not.
 */
export function receiptView(
  receipt: Receipt,
  payment: Payment,
  source: string,
  service: string | undefined,
  sentAt?: string,
): View {
  const { messageId, to, senderId, status } = receipt;
  return {
    json: ({ redacted }) => {
      // `to` is the number we sent to; all other texts are the service's.
      const texts = Object.entries(receipt).map(([name, value]) =>
        typeof value === "string" && name !== "to" ? [name, redacted(value)] : [name, value],
      );
      return { ...Object.fromEntries(texts), mode: payment.mode, ...(sentAt !== undefined && { replayed: true }) };
    },
    quiet: () => [visible(messageId)],
    text: (page) => {
      const { paint, foreign } = page;
      const state = status === undefined || status === "queued" ? "Queued" : `Accepted (${foreign(status)})`;
      const from = senderId === undefined ? "" : ` from ${foreign(senderId)}`;
      const lines = [
        ...receiptLines(receipt, payment, source, page, sentAt !== undefined),
        ...serviceLine(service).map(([label, value]) => [label, foreign(value)] as const),
      ];
      const headline =
        sentAt === undefined
          ? `${state} for ${to}${from}`
          : `Nothing was sent now: the message to ${to}${from} was sent at ${sentAt}`;
      return `${paint.good("✓")} ${headline}\n${alignedLines(page, lines)}`;
    },
  };
}

/** Returns the lines of a receipt with their labels. Only foreign text is redacted: the sandbox's password is the word "sandbox". */
function receiptLines(
  { messageId, segments, totalCredits, totalCostKes, newBalance }: Receipt,
  payment: Payment,
  source: string,
  { foreign }: Page,
  isReplay: boolean,
): readonly (readonly [string, string])[] {
  const cost = [
    totalCredits === undefined ? undefined : plural(totalCredits, "credit"),
    totalCostKes === undefined ? undefined : kes(totalCostKes),
  ].filter((part) => part !== undefined);
  const left = `left${isReplay ? " then" : ""}`;
  const balance = newBalance === undefined ? "not reported" : `${plural(newBalance, "credit")} ${left}`;
  const isRehearsal = payment.mode === "sandbox";
  return [
    ["Message", foreign(messageId)],
    ["Segments", segments === undefined ? "not reported" : String(segments)],
    ["Cost", cost.length === 0 ? "not reported" : cost.join(", ")],
    // The sandbox inside the command has as many credits as it needs.
    ...(isRehearsal ? [] : [["Balance", balance] as const]),
    ["Mode", `${modeText(payment)}${isRehearsal ? "" : ` (from ${foreign(source)})`}`],
  ];
}
