import type { Pace } from "../delivery/pace.ts";
import type { Guard } from "../guards/guard.ts";
import type { Host, Interruption } from "../host.ts";
import type { Connections } from "../service/connection.ts";
import type { WireRequest } from "../service/request.ts";
import type { RunWriter } from "../record/runs.ts";
import type { Ledger } from "../record/ledger.ts";
import type { PlannedMessage } from "../record/plan.ts";

/** The limits of a run. */
export interface RunLimits {
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** Milliseconds for one request, from when it is handed to the network to its last byte. */
  readonly timeout: number;
  /** Tries of a message after the first, for what was provably not sent. */
  readonly retries: number;
  /** Credits that the whole run may be charged; Infinity for no limit. */
  readonly maxCredits: number;
}

/** What a run uses besides its arguments. */
export interface RunParts extends Pick<Host, "now" | "wallClock" | "sleep" | "random"> {
  readonly connections: Connections;
  /** Asked again just before each message. */
  readonly guards: readonly Guard[];
  readonly request: (message: PlannedMessage) => WireRequest;
  readonly writer: Pick<RunWriter, "intend" | "withdraw" | "settle">;
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly interruption: Interruption;
  /** Removes secrets from text of the service, which is recorded. */
  readonly redact: (text: string) => string;
}
