import { endings } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Redactor } from "./redact.ts";
import type { Reporter } from "./reporter.ts";
import { jsonLine } from "./sanitize.ts";

/**
 * Reports to a script: one line for the result on stdout, or one for the failure on stderr. Warnings come with it, since
 * a second line would break whoever parses the stream.
 */
export function jsonReporter(host: Host, redactor: Redactor): Reporter {
  const warnings: string[] = [];
  const warned = () => (warnings.length === 0 ? {} : { warnings });
  return {
    warn: (text) => {
      warnings.push(text);
    },
    event: () => {},
    planned: ({ message, mode, count }, price) => {
      host.stdout.write(
        jsonLine({
          dryRun: true,
          to: message.to,
          ...(message.sender?.kind === "name" && { senderIdName: message.sender.name }),
          ...(message.sender?.kind === "id" && { senderId: message.sender.id }),
          encoding: count.encoding,
          units: count.units,
          segments: count.segments,
          totalCredits: count.segments,
          kesPerCredit: price?.kesPerCredit ?? null,
          mode,
          ...warned(),
        }),
      );
    },
    accepted: (receipt, mode) => {
      // `to` is the one we sent; the rest are the service's words.
      const texts = Object.entries(receipt).map(([name, value]) =>
        typeof value === "string" && name !== "to" ? [name, redactor.redactForeign(value)] : [name, value],
      );
      host.stdout.write(jsonLine({ ...Object.fromEntries(texts), mode, ...warned() }));
    },
    failed: ({ kind, message, errorCode, httpStatus, outcome, hint, details = [] }) => {
      host.stderr.write(
        jsonLine({
          error: redactor.redactForeign(message),
          errorCode: redactor.redactForeign(errorCode),
          httpStatus,
          outcome,
          exitCode: endings[kind].exitCode,
          hint,
          ...(details.length > 0 && { details: details.map((detail) => redactor.redactForeign(detail)) }),
          ...warned(),
        }),
      );
    },
  };
}
