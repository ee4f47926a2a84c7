import type { Mode } from "../core/credentials.ts";
import { countSegments, type SegmentCount } from "../core/segments.ts";
import type { Message } from "../service/request.ts";

/** What a send of one message comes to by our own count; the service's `segments` is the bill. */
export interface SendPlan {
  readonly message: Message;
  readonly mode: Mode;
  readonly count: SegmentCount;
}

/** Plans one message. */
export function planSend(message: Message, mode: Mode): SendPlan {
  return { message, mode, count: countSegments(message.text) };
}
