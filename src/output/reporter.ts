import type { Mode } from "../core/credentials.ts";
import type { Receipt } from "../core/outcome.ts";
import type { DeliveryEvent } from "../delivery/deliver.ts";
import type { SendPlan } from "../delivery/plan.ts";
import type { FailureReport, KnownPrice } from "./text.ts";

/** Turns what happens into bytes: one for people, one for scripts. Results go to stdout, all else to stderr. */
export interface Reporter {
  /** Something the person should know that stops nothing. */
  readonly warn: (text: string) => void;
  /** What goes on while the person waits. */
  readonly event: (event: DeliveryEvent) => void;
  /** What would be sent; nothing was. */
  readonly planned: (plan: SendPlan, price: KnownPrice | undefined) => void;
  /** `source` says where the credentials came from. */
  readonly accepted: (receipt: Receipt, mode: Mode, source: string) => void;
  readonly failed: (failure: FailureReport) => void;
}
