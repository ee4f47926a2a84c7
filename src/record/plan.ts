import { createHash, hash as digestOf } from "node:crypto";
import { type Members, membersOf, type Message, messageFrom } from "../message/fields.ts";
import { parseJson, byName, isText, oneOf, optional, shape } from "../json.ts";
import { senderText } from "../message/sender.ts";
import type { Fields } from "../message/text.ts";
import { SmsError } from "../errors.ts";

export interface DraftMessage extends Message {
  /** The line of the recipient in the input, from 1. */
  readonly line: number;
  /** The columns of its row; absent if it had none besides number and text. */
  readonly fields?: Fields;
  readonly ownSender?: boolean;
  /** Segments by our own count, which is also what we expect to be charged in credits. */
  readonly segments: number;
  /** Why it is not in the plan, although the command asks for it; absent if it is. */
  readonly held?: { readonly reason: string };
}

export interface PlannedMessage extends DraftMessage {
  /** Its place in the plan, from 0; the journal names it so. */
  readonly index: number;
}

interface PlanDigests {
  /** SHA-256 of the plan file, byte for byte. Hexadecimal. */
  readonly file: string;
  /**
   * The sum of the hashes of all messages that the command asked for, those that a guard held back included: a database may give
   * the same rows in another order each time.
   */
  readonly messages: string;
}

export interface PlanSummary {
  readonly messages: number;
  readonly segments: number;
  readonly digests: PlanDigests;
}

export interface NewPlan extends PlanSummary {
  readonly sample: Sample;
}

/** The size of a batch that is written at once, in UTF-16 code units. */
const batchSize = 256 * 1024;

export async function summarizePlan(
  messages: AsyncIterable<DraftMessage> | Iterable<DraftMessage>,
  write: (lines: string) => Promise<void> = async () => {},
): Promise<NewPlan> {
  const hash = createHash("sha256");
  let sum = 0n;
  let batch = "";
  const sample = newSample();
  let count = 0;
  let segments = 0;
  const flush = async () => {
    hash.update(batch);
    await write(batch);
    batch = "";
  };
  for await (const message of messages) {
    const { line, ownSender, fields, segments: own, held } = message;
    const members = JSON.stringify(membersOf(message));
    sum = BigInt.asUintN(64, sum + BigInt(`0x${digestOf("sha256", members).slice(0, 16)}`));
    if (held !== undefined) continue;
    const rest = JSON.stringify({ ownSender, fields, segments: own });
    batch += `{"line":${line},"message":${members},${rest.slice(1)}\n`;
    addToSample(sample, message);
    count++;
    segments += own;
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  return { messages: count, segments, digests: { file: hash.digest("hex"), messages: sum.toString(16) }, sample };
}

export function damaged(message: string): SmsError {
  return new SmsError("usage", message, {
    errorCode: "RUN_DAMAGED",
    hint: "nothing more is sent, since that could reach people twice: restore the run's folder from a copy; without one, what is left of its plan and journal may say who was texted",
  });
}

/** Reads the line of a message that `summarizePlan` wrote. `place` is where it stands, for the error `RUN_DAMAGED`. */
export function readMessage(text: string, index: number, place: string): PlannedMessage {
  const value = parseJson(text);
  const planned = isPlanLine(value) ? value : undefined;
  const message = planned && readMembers(planned.message);
  if (planned === undefined || message === undefined) throw damaged(`line ${index + 1} of ${place} is not a message`);
  const { line, ownSender, fields, segments } = planned;
  return { index, line, ...message, ...(ownSender && { ownSender }), ...(fields && { fields }), segments };
}

function readMembers(members: Members): Message | undefined {
  try {
    return messageFrom((name) => members[name]);
  } catch (error) {
    if (error instanceof SmsError) return undefined;
    throw error;
  }
}

interface PlanLine extends Pick<DraftMessage, "line" | "ownSender" | "fields" | "segments"> {
  readonly message: Members;
}

const isPlanLine = shape<PlanLine>({
  line: Number.isInteger,
  message: byName(isText),
  ownSender: optional(oneOf(true)),
  fields: optional(byName(isText)),
  segments: Number.isInteger,
});

export interface SampleMessage extends Message, Pick<DraftMessage, "line" | "fields" | "segments"> {}

export interface Sample {
  first: SampleMessage | undefined;
  /** The first of those with the most segments and the longest text. */
  longest: SampleMessage | undefined;
  sendersDiffer: boolean;
  /** All in their order, those of equal segments that follow each other together. */
  readonly order: { readonly segments: number; messages: number }[];
}

export function newSample(): Sample {
  return { first: undefined, longest: undefined, sendersDiffer: false, order: [] };
}

export function addToSample(sample: Sample, message: SampleMessage): void {
  const { segments, text, sender } = message;
  sample.first ??= message;
  sample.sendersDiffer ||= senderText(sample.first.sender) !== senderText(sender);
  const { longest = message } = sample;
  const isLonger = segments > longest.segments || (segments === longest.segments && text.length > longest.text.length);
  sample.longest = isLonger ? message : longest;
  const last = sample.order.at(-1);
  if (last?.segments === segments) last.messages++;
  else sample.order.push({ segments, messages: 1 });
}
