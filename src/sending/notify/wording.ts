import { usageError } from "../../errors.ts";
import { durationText } from "../../words/duration.ts";
import { type Fields, parseTemplate, renderTemplate } from "../../message/text.ts";

interface EndedCommand {
  readonly command: string;
  readonly exitCode: number;
  readonly ms: number;
  readonly host: string;
}

/** Throws a usage error for an unknown field. */
export function endText(template: string | undefined, { command, exitCode, ms, host }: EndedCommand): string {
  const duration = durationText(ms);
  if (template === undefined) {
    return `${command} ${exitCode === 0 ? "succeeded" : `failed (${exitCode})`} after ${duration} on ${host}`;
  }
  const values: Fields = { command, exit: String(exitCode), duration, host };
  const rendering = renderTemplate(parseTemplate(template), values);
  if (rendering.kind === "text") return rendering.text;
  throw usageError(
    "UNKNOWN_FIELD",
    `the message contains {{${rendering.field}}}, which is not a field of a command`,
    "the fields are {{command}}, {{exit}}, {{duration}} and {{host}}",
  );
}
