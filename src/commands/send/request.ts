import { toGsm7 } from "../../core/look-alikes.ts";
import { checkMessage } from "../../core/message.ts";
import { readCountry, readNumber } from "../../core/number.ts";
import { type Sender, senderById, senderByName } from "../../core/sender.ts";
import { countSegments } from "../../core/segments.ts";
import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { replacementText } from "../../output/look-alikes.ts";
import type { Defaults, Profile } from "../../profiles/stored.ts";
import type { Message } from "../../service/request.ts";
import { readText } from "../shared/input.ts";
import type { SendFlags } from "./definition.ts";

/** One message as the flags, files and environment ask for it, known to be valid, and what the person should know of it. */
export interface SendRequest {
  readonly message: Message;
  readonly warnings: readonly string[];
}

/** What the environment says where flags do not, and the profile where the environment does not. */
export function sendDefaults(environment: Host["environment"], profile: Profile | undefined): Defaults {
  const sender = environment["SMS_SENDER"] || profile?.defaults.sender;
  const country = environment["SMS_COUNTRY"] || profile?.defaults.country;
  return { ...(sender !== undefined && { sender }), ...(country !== undefined && { country }) };
}

/** Reads flags and input into a message. Throws a usage error for the first thing that cannot be sent. */
export async function readSendRequest(
  flags: SendFlags,
  defaults: Defaults,
  host: Host,
): Promise<SendRequest> {
  const warnings: string[] = [];
  const to = readRecipient(flags, defaults, warnings);
  const sender = readSender(flags, defaults);
  const text = prepareText(checkMessage(await readText(flags, host)), flags.gsm7 === true, warnings);
  return { message: { to, text, ...(sender !== undefined && { sender }) }, warnings };
}

function readRecipient(flags: SendFlags, defaults: Defaults, warnings: string[]): string {
  const [to] = flags.to ?? [];
  if (to === undefined) throw usageError("NO_RECIPIENT", "there is no recipient", "give one with --to");
  const named = flags.country ?? (to.trimStart().startsWith("+") ? undefined : defaults.country);
  const country = named === undefined ? undefined : readCountry(named);
  const reading = readNumber(to, country);
  if (reading.kind === "refused") {
    throw usageError(
      "INVALID_NUMBER",
      `${JSON.stringify(to)} cannot be sent to: ${reading.reason}`,
      reading.hint ?? "write it as +254712345678",
    );
  }
  if (!reading.assigned) warnings.push(`${reading.e164} is in no range of numbers known to be in use`);
  return reading.e164;
}

export function readSender(flags: SendFlags, defaults: Defaults): Sender | undefined {
  if (flags.sender !== undefined && flags.senderId !== undefined) {
    throw usageError("AMBIGUOUS_SENDER", "--sender and --sender-id are both given", "give one of them");
  }
  if (flags.senderId !== undefined) return senderById(flags.senderId);
  const name = flags.sender ?? defaults.sender;
  return name === undefined ? undefined : senderByName(name);
}

/** Applies `--gsm7` if it is given, and warns of what raises the cost or looks strange. */
function prepareText(text: string, gsm7: boolean, warnings: string[]): string {
  const placeholder = /\{\{[^{}]*\}\}/.exec(text)?.[0];
  if (placeholder !== undefined) {
    warnings.push(`${placeholder} is sent as written: a recipient given by --to carries no fields`);
  }
  const { text: gsm7Text, replaced } = toGsm7(text);
  if (!gsm7) {
    const [now, then] = [countSegments(text).segments, countSegments(gsm7Text).segments];
    if (then < now)
      warnings.push(
        `look-alikes make this ${now} segments instead of ${then}: --gsm7 replaces them, and \`sms preview\` shows them`,
      );
    return text;
  }
  if (replaced.length > 0) warnings.push(replacementText(replaced));
  return checkMessage(gsm7Text);
}
