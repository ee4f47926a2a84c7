import { toGsm7 } from "../message/look-alikes.ts";
import { checkMessage } from "../message/text.ts";
import { countSegments } from "../message/segments.ts";

export interface Redirection {
  readonly to: string;
  readonly most: number;
  /** Whether look-alikes that force Unicode are replaced, the one that names the recipient included. */
  readonly gsm7: boolean;
}

/** What a rehearsal sends, counted while it is read. */
export interface RehearsalCount {
  messages: number;
  all: number;
  /** Segments that the name of the recipient adds. */
  added: number;
}

interface Redirectable {
  readonly to: string;
  readonly text: string;
  readonly segments: number;
  /** Defined if the run itself would not send it. */
  readonly held?: object;
}

/**
 * Yields the first messages of a run with another recipient, each with the end of the real number in front, and reads the rest
 * so that every fault in it is found. Throws a usage error for a text that is too long with that.
 */
export async function* redirected<Message extends Redirectable>(
  messages: AsyncIterable<Message>,
  { to, most, gsm7 }: Redirection,
  count: RehearsalCount,
): AsyncGenerator<Message, void> {
  for await (const message of messages) {
    if (message.held !== undefined) continue;
    count.all++;
    if (count.messages === most) continue;
    count.messages++;
    const named = `[for …${message.to.slice(-3)}] ${message.text}`;
    const text = checkMessage(gsm7 ? toGsm7(named).text : named);
    const { segments } = countSegments(text);
    count.added += segments - message.segments;
    yield { ...message, to, text, segments };
  }
}
