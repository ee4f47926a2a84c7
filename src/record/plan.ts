import { createHash, hash as digestOf } from "node:crypto";
import { type Members, membersOf, type Message, messageFrom } from "../message/fields.ts";
import { parseJson, byName, isText, oneOf, optional, shape } from "../json.ts";
import { senderText } from "../message/sender.ts";
import type { Fields } from "../message/text.ts";
import { leftOutLine, LeftOutSample, type LeftOutRow } from "./left-out.ts";
import { SmsError, usageError } from "../errors.ts";

export interface DraftMessage extends Message {
  readonly kind?: "recipient";
  readonly line: number;
  readonly fields?: Fields;
  readonly ownSender?: boolean;
  /** We expect to be charged this many credits. */
  readonly segments: number;
}

/** An opt-out makes no other run: `held`, its message, is in the digest. Whoever excludes others has another run. */
export type PlanRow = DraftMessage | (LeftOutRow & { readonly held?: Message });

export interface PlannedMessage extends DraftMessage {
  /** The journal names the message by this place. */
  readonly index: number;
}

interface PlanDigests {
  /** SHA-256 of the lines of messages. */
  readonly file: string;
  /** A query may give the rows in any order, so this sums the hashes of all messages, those that are held included. */
  readonly messages: string;
  /** SHA-256 of the lines of rows that are left out. */
  readonly leftOut: string;
}

export interface PlanSummary {
  readonly messages: number;
  readonly segments: number;
  readonly digests: PlanDigests;
}

export interface WrittenPlan extends PlanSummary {
  readonly sample: Sample;
  readonly leftOutSample: LeftOutSample;
}

export type MessageCounts = Pick<WrittenPlan, "messages" | "segments" | "sample">;

const batchSize = 256 * 1024;

export async function summarizePlan(
  rows: AsyncIterable<PlanRow> | Iterable<PlanRow>,
  write: (lines: string) => Promise<void> = async () => {},
): Promise<WrittenPlan> {
  const [hash, hashOfLeftOut] = [createHash("sha256"), createHash("sha256")];
  let sum = 0n;
  let [batch, batchOfLeftOut] = ["", ""];
  const leftOutSample = new LeftOutSample();
  const sample = newSample();
  let total = 0;
  let segments = 0;
  const flush = async () => {
    hash.update(batch);
    hashOfLeftOut.update(batchOfLeftOut);
    await write(batch + batchOfLeftOut);
    [batch, batchOfLeftOut] = ["", ""];
  };
  for await (const row of rows) {
    const message = row.kind === "left-out" ? row.held : row;
    const members = message === undefined ? undefined : JSON.stringify(membersOf(message));
    if (members !== undefined) sum = BigInt.asUintN(64, sum + BigInt(`0x${digestOf("sha256", members).slice(0, 16)}`));
    if (row.kind === "left-out") {
      leftOutSample.add(row);
      batchOfLeftOut += leftOutLine(row);
      if (batchOfLeftOut.length >= batchSize) await flush();
      continue;
    }
    const { line, ownSender, fields, segments: count } = row;
    const rest = JSON.stringify({ ownSender, fields, segments: count });
    batch += `{"line":${line},"message":${members},${rest.slice(1)}\n`;
    addToSample(sample, row);
    total++;
    segments += count;
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  const digests = { file: hash.digest("hex"), messages: sum.toString(16), leftOut: hashOfLeftOut.digest("hex") };
  return { messages: total, segments, digests, sample, leftOutSample };
}

/** What an error names of a run: where its plan and its journal are. */
export interface RunPlaces {
  readonly name: string;
  readonly plan: string;
  readonly journal: string;
}

export function damaged({ name }: Pick<RunPlaces, "name">, message: string): SmsError {
  const hint = `nothing is sent that it may have sent already: restore the run's folder from a copy; without one, what is left of its plan and journal may say who was texted, and \`sms runs remove ${name}\` lets other lists go on`;
  return usageError("RUN_DAMAGED", message, hint);
}

/** Throws `RUN_DAMAGED`. */
export function readMessage(text: string, index: number, places: RunPlaces): PlannedMessage {
  const value = parseJson(text);
  if (isPlanLine(value)) {
    const { line, message: members, ownSender, fields, segments } = value;
    const message = readMembers(members);
    if (message !== undefined) return { index, line, ...message, ownSender, fields, segments };
  }
  throw damaged(places, `line ${index + 1} of ${places.plan} is not a message`);
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

export interface Sample {
  first: DraftMessage | undefined;
  longest: DraftMessage | undefined;
  sendersDiffer: boolean;
  /** Messages of equal segments that follow each other are counted together. */
  readonly order: { readonly segments: number; messages: number }[];
}

export function newSample(): Sample {
  return { first: undefined, longest: undefined, sendersDiffer: false, order: [] };
}

export function addToSample(sample: Sample, message: DraftMessage): void {
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
