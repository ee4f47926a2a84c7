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
      "write the value in its place, add --literal to send it as written, or give recipients with fields by --recipients",
    );
  }
  const row = { ...typedRow(to), own: { text } };
  const checked = recipientCheck({ ...options, literal: true })(row);
  if (checked.kind !== "recipient") {
    const { reason, hint } = await explained<Pick<RowFault, "reason" | "hint" | "refused" | "cause">>(checked);
    const errorCode = checked.kind === "fault" ? checked.errorCode : undefined;
    throw usageError(errorCode ?? "INVALID_RECIPIENTS", reason, hint);
  }
  refuseHeld(checked.held);
  const notes = new Notes();
  addToNotes(notes, row, checked);
  return { message: checked, notes };
}

export function refuseHeld(held: Hold | undefined): void {
  if (held !== undefined) throw usageError(held.errorCode, held.reason, held.hint);
}
