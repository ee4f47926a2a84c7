import type { Host } from "../host.ts";
import { alignedLines } from "./aligned.ts";
import { paintFor } from "./paint.ts";
import type { Redactor } from "./redact.ts";
import type { Reporter } from "./reporter.ts";
import { visible } from "./sanitize.ts";
import { estimateText, failureHeading, modeSentence, outcomeSentence, plural, receiptLines } from "./text.ts";

/** Reports to a person. `quiet` leaves stdout the message id alone, and stderr nothing but failures. */
export async function humanReporter(host: Host, redactor: Redactor, quiet: boolean): Promise<Reporter> {
  const out = await paintFor(host.stdout.hasColor());
  const err = await paintFor(host.stderr.hasColor());
  const foreign = (text: string) => visible(redactor.redactForeign(text));
  return {
    warn: (text) => {
      if (!quiet) host.stderr.write(`${err.doubtful("Warning:")} ${foreign(text)}\n`);
    },
    event: (event) => {
      if (quiet || event.kind !== "waiting" || event.outcome.kind !== "unsent") return;
      const seconds = (event.ms / 1000).toFixed(1);
      host.stderr.write(
        `${err.faint(`Not sent yet: ${foreign(event.outcome.failure.error)}; trying again in ${seconds} s`)}\n`,
      );
    },
    planned: ({ message, mode, count }, price) => {
      if (quiet) return;
      const { sender } = message;
      host.stdout.write(`Dry run: nothing was sent.\n`);
      host.stdout.write(
        alignedLines(out, [
          ["To", message.to],
          [
            "From",
            sender === undefined
              ? "the account's default sender"
              : foreign(sender.kind === "name" ? sender.name : sender.id),
          ],
          [
            "Text",
            `${plural(count.units, count.encoding === "GSM-7" ? "septet" : "unit")} of ${count.encoding}`,
          ],
          ["Segments", String(count.segments)],
          ["Estimate", estimateText(count.segments, price)],
          ["Mode", modeSentence[mode]],
        ]),
      );
    },
    accepted: (receipt, mode, source) => {
      if (quiet) {
        host.stdout.write(`${visible(receipt.messageId)}\n`);
        return;
      }
      const { to, senderId, status } = receipt;
      const state = status === undefined || status === "queued" ? "Queued" : `Accepted (${foreign(status)})`;
      const from = senderId === undefined ? "" : ` from ${foreign(senderId)}`;
      host.stdout.write(`${out.good("✓")} ${state} for ${to}${from}\n`);
      host.stdout.write(
        alignedLines(
          out,
          receiptLines(receipt, mode, source).map(([label, value]) => [label, foreign(value)]),
        ),
      );
    },
    failed: ({ kind, message, outcome, httpStatus, errorCode, hint, details = [] }) => {
      const heading =
        kind === "usage" || kind === "fault" || outcome === undefined ? "Error" : failureHeading[outcome];
      const origin = httpStatus === undefined ? "" : ` (HTTP ${httpStatus}, ${foreign(errorCode)})`;
      host.stderr.write(`${err.bad(`${heading}:`)} ${foreign(message)}${origin}\n`);
      for (const detail of details) host.stderr.write(`  ${foreign(detail)}\n`);
      if (outcome !== undefined) host.stderr.write(`  ${outcomeSentence[outcome]}\n`);
      if (hint !== undefined) host.stderr.write(`  ${err.faint("Next:")} ${foreign(hint)}\n`);
    },
  };
}
