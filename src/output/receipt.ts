import type { Mode } from "../core/credentials.ts";
import type { Receipt } from "../core/outcome.ts";
import { alignedLines } from "./aligned.ts";
import type { View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { receiptLines, serviceLine } from "./text.ts";

/**
 * The receipt for one message. `source` says where the credentials came from, `service` is the base URL if it is not the
 * profile's, and `sentAt` when an earlier command sent it, in ISO 8601, if this one did not.
 */
export function receiptView(
  receipt: Receipt,
  mode: Mode,
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
      return { ...Object.fromEntries(texts), mode, ...(sentAt !== undefined && { replayed: true }) };
    },
    quiet: () => [visible(messageId)],
    text: (page) => {
      const { paint, foreign } = page;
      const state = status === undefined || status === "queued" ? "Queued" : `Accepted (${foreign(status)})`;
      const from = senderId === undefined ? "" : ` from ${foreign(senderId)}`;
      const now = sentAt === undefined ? [] : [["Once", `sent at ${sentAt}; nothing was sent now`] as const];
      const lines = [...receiptLines(receipt, mode, source), ...serviceLine(service), ...now].map(
        ([label, value]) => [label, foreign(value)] as const,
      );
      return `${paint.good("✓")} ${state} for ${to}${from}\n${alignedLines(page, lines)}`;
    },
  };
}
