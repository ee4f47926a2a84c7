import { type Hold, holdOf, type RowGuards } from "./hold.ts";
import type { Country } from "../message/number.ts";
import { numberKey } from "../message/number-set.ts";
import { placeholderIn, refuseOtherLanguages } from "../message/text.ts";
import { usageError } from "../errors.ts";
import { type CheckOptions, explained, readRecipient, type Recipient, recipientCheck } from "./check.ts";
import { type RowFault, type RowLeftOut, typedRow } from "./row.ts";
import { addRecipient, Notes } from "./notes.ts";

interface LocalParts {
  readonly shared: Pick<CheckOptions, "country" | "cut" | "gsm7" | "usual">;
  readonly options: { readonly literal?: boolean; readonly once?: string };
  readonly rowGuards: RowGuards;
}

export interface CheckedMessage extends Recipient {
  readonly notes: Notes;
}

export type CheckedNumber = Pick<CheckedMessage, "to" | "assigned" | "notes">;

/** Throws a usage error for a number that cannot be read, or that a guard holds back. */
export async function checkNumber(local: LocalParts, to: string): Promise<CheckedNumber> {
  const number = await requireNumber(to, local.shared.country);
  const { e164, kind: _, ...traits } = number;
  await requireFree(local, e164);
  return noted({ ...traits, kind: "recipient", line: 1, to: e164, text: "", segments: 0 });
}

/** Throws a usage error, which names the option, for a number that cannot be read. */
export async function requireNumber(to: string, country: Country | undefined, option?: string) {
  const number = readRecipient(typedRow(to), country);
  if (number.kind === "fault") throw await faultError(number, option);
  return number;
}

/** Only here does one text become a message. Throws a usage error for a number, a text or a guard that keeps it from being sent. */
export async function checkMessage(local: LocalParts, to: string, text: string): Promise<CheckedMessage> {
  if (!local.options.literal) refusePlaceholders(text);
  const message = recipientCheck({ ...local.shared, literal: true })({ ...typedRow(to), own: { text } });
  if (message.kind !== "recipient") throw await faultError(message);
  await requireFree(local, message.to);
  return noted(message);
}

function noted(message: Recipient): CheckedMessage {
  const notes = new Notes();
  addRecipient(notes, message, "--to 1", false);
  return { ...message, notes };
}

/** A message sent under a key is reported even if the guards would hold the message back now. */
async function requireFree({ options, rowGuards }: LocalParts, to: string): Promise<void> {
  if (options.once !== undefined) return;
  const key = numberKey(to);
  refuseHold(holdOf(rowGuards.guardsOfLists, key) ?? holdOf(await rowGuards.guardsOfRecord(), key));
}

/** A text for one person has no fields. */
export function refusePlaceholders(text: string): void {
  refuseOtherLanguages(text);
  const placeholder = placeholderIn(text);
  if (placeholder === undefined) return;
  throw usageError(
    "UNFILLED_FIELD",
    `the message contains ${placeholder}, and a recipient given with --to has no fields to fill it`,
    "write the value in its place; `sms send` takes --literal to send it as written, and --recipients for recipients with fields",
  );
}

export function refuseHold(hold: Hold | undefined): void {
  if (hold !== undefined) throw usageError(hold.errorCode, hold.sentence, hold.hint);
}

async function faultError(fault: RowFault | RowLeftOut, option?: string): Promise<Error> {
  const { sentence, hint } = await explained<Pick<RowFault, "sentence" | "hint" | "unreadNumber" | "cause">>(fault);
  const errorCode = fault.kind === "fault" ? fault.errorCode : undefined;
  const words = option === undefined ? sentence : `${option} ${sentence}`;
  return usageError(errorCode ?? "INVALID_RECIPIENTS", words, hint);
}
