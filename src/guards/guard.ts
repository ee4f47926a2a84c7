import type { Country } from "../message/number.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Host } from "../host.ts";
import type { ChosenProfile, Resolved } from "../profiles/resolve.ts";
import type { Hold, RowGuard } from "../recipients/hold.ts";
import type { Sample } from "../record/plan.ts";
import type { Mode } from "../service/credentials.ts";

/** The guards that judge rows, by their names in `leftOut`. */
export type RowGuardName = "excluded" | "onlyTo" | "optedOut";

export type GuardName = RowGuardName | "maxCredits" | "hours" | "lowBalance" | "dailyCredits";

export interface GuardOptions {
  readonly onlyTo?: string;
  readonly exclude?: readonly string[];
  readonly maxCredits?: number;
  readonly between?: string;
  /** Pauses until a hold ends that ends by itself, instead of stopping. */
  readonly wait?: true;
}

export interface GuardInput {
  readonly options: GuardOptions;
  /** The profile in use, whose lists hold in a sandbox as well. */
  readonly own: ChosenProfile;
  /** The profile that pays; undefined for a sandbox. */
  readonly chosen: ChosenProfile | undefined;
  readonly country: Country | undefined;
  readonly host: Host;
}

export interface GuardInputAt extends GuardInput {
  readonly destination: (Resolved & { readonly mode: Mode }) | undefined;
  /** What a run that goes on has kept of the guard. */
  readonly began: string | undefined;
}

/**
 * One rule about who is sent to, or when, or at which cost. It judges a row by `hold`, a plan by `holdPlan`, and each attempt by
 * `hold`, `holdAll` and its reservations.
 */
export interface Guard extends RowGuard {
  /** What it does and which flag, variable or profile set it, for the plan. */
  readonly rule?: string | (() => Promise<string>);
  /** What a run keeps of it: the guard opens again from it when the run goes on. */
  readonly kept?: string;
  /** The option with which a run holds the same back when it goes on, such as `--exclude FILE`. */
  readonly again?: string;
  readonly mostCredits?: number;
  /** Why nothing at all is sent at this time by the wall clock. */
  readonly holdAll?: (now: number) => HoldOfAll | undefined;
  readonly holdPlan?: (planned: Planned) => Hold | undefined | Promise<Hold | undefined>;
  /** How many messages of a plan may go today, from the first on. */
  readonly fitting?: (order: Sample["order"]) => Promise<number>;
  readonly reservations?: () => Reservations;
  /** A warning for an account that has this balance after messages were accepted. */
  readonly warning?: (balance: number) => Promise<string | undefined>;
  /** Whether the list that it reads seems unchanged. It does not wait to find out. */
  readonly isCurrent?: () => boolean;
  readonly renew?: () => Promise<Guard>;
}

export interface HoldOfAll extends Hold {
  /** The reason in a few words, for a text that comes late. */
  readonly brief: string;
}

export interface Planned {
  readonly segments: number;
  /** Credits that may have been charged for it before. */
  readonly exposure: number;
  /** Segments of the message that goes first; 0 if it goes on another day. */
  readonly first: number;
  readonly longest: number;
}

/** A message that may cost credits. Each of a command has an index of its own. */
export interface Costly {
  readonly index: number;
  readonly segments: number;
}

/** The credits of a day that one command reserves. What a kill leaves reserved stays so until the day ends. */
export interface Reservations {
  /** Whether the day of the last reservation has not ended. */
  readonly isCurrent: () => boolean;
  readonly renew: () => void;
  readonly reserve: (messages: readonly Costly[]) => Promise<Admission<Hold>>;
  /** The record has it with the next reservation or at the end. Without an outcome the request never began. */
  readonly settle: (index: number, outcome: Outcome | undefined) => void;
  readonly close: () => Promise<void>;
}

export interface Admission<Why> {
  /** How many messages may go, from the first on. */
  readonly granted: number;
  /** Why the next one may not. */
  readonly refusal: Why | undefined;
}

export async function rulesOf(guards: readonly Guard[]): Promise<readonly string[]> {
  const rules = guards.flatMap(({ rule }) => rule ?? []);
  return Promise.all(rules.map(async (rule) => (typeof rule === "string" ? rule : rule())));
}

export function holdOfAll(guards: readonly Guard[], now: number): HoldOfAll | undefined {
  for (const { holdAll } of guards) {
    const hold = holdAll?.(now);
    if (hold !== undefined) return hold;
  }
  return undefined;
}
