import type { Failure, Outcome } from "../core/outcome.ts";
import type { EndingKind } from "../errors.ts";
import type { Hold } from "../guards/guard.ts";
import type { PlannedMessage } from "./plan.ts";

/** An event of a run that is being sent. */
export type RunEvent =
  /** The message has this outcome, and it is recorded if that can be done. */
  | { readonly kind: "settled"; readonly message: PlannedMessage; readonly outcome: Outcome }
  /** A guard holds the message back now, although it did not when the run was planned: it stays due. */
  | { readonly kind: "held"; readonly message: PlannedMessage; readonly hold: Hold }
  /** No request begins for `ms` milliseconds, because of this failure. */
  | { readonly kind: "waiting"; readonly ms: number; readonly failure: Failure }
  /** No further request begins; those in flight are awaited. `failure` is how the rest would fail. */
  | { readonly kind: "stopping"; readonly why: EndingKind; readonly failure: Failure | undefined }
  /** The service charged more than expected, and the run is over its limit. Credits. */
  | { readonly kind: "over-limit"; readonly charged: number };
