import type { Message } from "../core/fields.ts";
import { senderText } from "../core/sender.ts";

/** A message and the line of its recipient in the input. */
interface SampleMessage extends Message {
  readonly line: number;
}

/** What a person sees of the messages of a run before it is sent. */
export interface Sample {
  /** Undefined if there is no message. */
  first: SampleMessage | undefined;
  /** Whether some message has another sender than the first. */
  sendersDiffer: boolean;
}

/** Returns a sample of no messages. */
export function newSample(): Sample {
  return { first: undefined, sendersDiffer: false };
}

/** Adds the next message to a sample. */
export function addToSample(sample: Sample, message: SampleMessage): void {
  sample.first ??= message;
  sample.sendersDiffer ||= senderText(sample.first.sender) !== senderText(message.sender);
}
