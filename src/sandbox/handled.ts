import type { Mode } from "./credentials.ts";
import type { Reply } from "./reply.ts";

/** A reply, and what is known of the request. */
export interface Handled {
  readonly reply: Reply;
  /** Milliseconds before the reply is sent. */
  readonly delay?: number;
  /** The recipient, if it could be read. */
  readonly to?: string;
  /** The sender as the request gave it; of an accepted message its name. */
  readonly senderId?: string;
  readonly mode?: Mode;
  /** The key for display, if it is one of the account. */
  readonly key?: string;
  /** Present if the message was accepted. */
  readonly segments?: number;
  /** Present if the message was accepted. */
  readonly messageId?: string;
  /** Present if the refusal is shown with its recipient. */
  readonly requestId?: number;
  /** The injected fault. */
  readonly fault?: string;
  /** Why it is answered so, in one sentence. */
  readonly reason?: string;
}
