import type { Hold } from "./hold.ts";
import { placeholderIn, refuseOtherLanguages } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { type CheckOptions, explained, type Recipient, recipientCheck } from "./check.ts";
import { type RowFault, typedRow } from "./row.ts";
import { addToNotes, Notes } from "./notes.ts";

export interface MessageRequest extends Pick<
  CheckOptions,
  "country" | "cut" | "gsm7" | "guards" | "literal" | "shared"
> {
  readonly to: string;
  readonly text: string;
}

export async function prepareMessage({ to, text, ...options }: MessageRequest): Promise<{
  readonly message: Recipient;
  readonly notes: Notes;
}> {
  if (!options.literal) refuseOtherLanguages(text);
  const placeholder = options.literal ? undefined : placeholderIn(text);
  if (placeholder !== undefined) {
    throw usageError(
      "UNFILLED_FIELD",
      `the message contains ${placeholder}, and a recipient given with --to has no fields to fill it`,
      "write the value in its place; `sms send` takes --literal to send it as written, and --recipients for recipients with fields",
    );
  }
  const row = { ...typedRow(to), own: { text } };
  const message = recipientCheck({ ...options, literal: true })(row);
  if (message.kind !== "recipient") {
    const { reason, hint } = await explained<Pick<RowFault, "reason" | "hint" | "refused" | "cause">>(message);
    const errorCode = message.kind === "fault" ? message.errorCode : undefined;
    throw usageError(errorCode ?? "INVALID_RECIPIENTS", reason, hint);
  }
  refuseHold(message.hold);
  const notes = new Notes();
  addToNotes(notes, row, message);
  return { message, notes };
}

export function refuseHold(hold: Hold | undefined): void {
  if (hold !== undefined) throw usageError(hold.errorCode, hold.reason, hold.hint);
}
