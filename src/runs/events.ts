import type { Failure, Outcome } from "../core/outcome.ts";
import type { EndingKind } from "../errors.ts";
import type { Host, Interruption } from "../host.ts";
import type { Connection } from "../service/connection.ts";
import type { WireRequest } from "../service/request.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Pace } from "../delivery/pace.ts";
import type { PlannedMessage } from "./plan.ts";
import { Sending } from "./sending.ts";

/** What happens in a run, in order, for whoever shows it. */
export type RunEvent =
  /** This is what became of a message, and it is recorded. */
  | { readonly kind: "settled"; readonly message: PlannedMessage; readonly outcome: Outcome }
  /** Nothing more begins for `ms`, because of this. */
  | { readonly kind: "waiting"; readonly ms: number; readonly failure: Failure }
  /** Nothing more begins; what is in flight is awaited. `failure` is the one that all others would meet. */
  | { readonly kind: "stopping"; readonly why: EndingKind; readonly failure: Failure | undefined }
  /** The service charged more than was expected, which brought the run over its limit. Credits. */
  | { readonly kind: "over-limit"; readonly charged: number };

/** How far a run may go. */
export interface RunLimits {
  /** Requests in flight. */
  readonly concurrency: number;
  /** Milliseconds for one request, from when it is handed to the network to its last byte. */
  readonly timeout: number;
  /** Tries of a message after the first, for what was provably not sent. */
  readonly retries: number;
  /** Credits that the whole run may be charged. Infinity for no limit. */
  readonly maxCredits: number;
}

/** What a run needs of the world. */
export interface RunParts extends Pick<Host, "now" | "sleep" | "random"> {
  readonly connect: () => Connection;
  readonly request: (message: PlannedMessage) => WireRequest;
  readonly journal: Pick<Journal, "write" | "writeLasting">;
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly interruption: Interruption;
}

/**
 * Sends messages, each at most once: its intent is on the disk before its request begins. Yields what happens, returns
 * how it ended. Throws where the journal cannot be written: sending has stopped, and what was in flight stays uncertain.
 */
export function run(
  messages: AsyncIterable<PlannedMessage>,
  limits: RunLimits,
  parts: RunParts,
): AsyncGenerator<RunEvent, EndingKind> {
  return new Sending(messages, limits, parts).events();
}
