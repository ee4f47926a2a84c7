import type { Country } from "../message/number.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Host } from "../host.ts";
import type { ProfileInUse, Resolved } from "../profiles/resolve.ts";
import type { Hold, RowGuard } from "../recipients/hold.ts";
import type { Sample } from "../record/plan.ts";

export type RowGuardName = "excluded" | "onlyTo" | "optedOut";

export type GuardName = RowGuardName | "maxCredits" | "hours" | "lowBalance" | "dailyCredits";

export interface GuardOptions {
  readonly onlyTo?: string;
  readonly exclude?: readonly string[];
  readonly maxCredits?: number;
  readonly between?: string;
  /** If a hold ends by itself, the run pauses instead of stopping. */
  readonly wait?: true;
}

export interface GuardInput {
  readonly options: GuardOptions;
  /** The lists of this profile hold in a sandbox as well. */
  readonly profile: ProfileInUse;
  /** Undefined for a sandbox, where nobody pays. */
  readonly payingProfile: ProfileInUse | undefined;
  readonly country: Country | undefined;
  readonly host: Host;
}

export interface GuardInputAt extends GuardInput {
  /** Set if a live key pays. */
  readonly live: Resolved | undefined;
  readonly began: string | undefined;
}

/** A guard judges a row by `hold`, a plan by `holdPlan`, and each attempt by `hold`, `holdAll` and reservations. */
export interface Guard extends RowGuard {
  /** Undefined if a plan does not show the guard. */
  readonly rule: string | (() => Promise<string>) | undefined;
  /** A run stores this text, and opens the guard from it when the run goes on. */
  readonly kept?: string;
  /** A resumed run holds the same back with this option, such as `--exclude FILE`. */
  readonly again?: string;
  readonly mostCredits?: number;
  /** `now` is by the wall clock. */
  readonly holdAll?: (now: number) => HoldOfAll | undefined;
  readonly holdPlan?: (planned: Planned) => Hold | undefined | Promise<Hold | undefined>;
  /** The number of messages that may go today, from the first on. */
  readonly fitting?: (order: Sample["order"]) => Promise<number>;
  readonly reservations?: () => Reservations;
  readonly warning?: (balance: number) => Promise<string | undefined>;
  /** Says if the list seems unchanged, and does not wait to find out. */
  readonly isCurrent?: () => boolean;
  readonly renew?: () => Promise<Guard>;
}

export interface HoldOfAll extends Hold {
  readonly brief: string;
}

export interface Planned {
  readonly segments: number;
  /** Credits that may have been charged for the plan before. */
  readonly exposure: number;
  /** Segments of the first message, or 0 if that message goes on another day. */
  readonly first: number;
  readonly longest: number;
}

/** A kill leaves credits reserved until the day ends. */
export interface Reservations {
  /** False once the day of the credits has ended. */
  readonly isCurrent: () => boolean;
  /** If so, `take` serves these messages. */
  readonly covers: (segments: readonly number[]) => boolean;
  /** Sets credits aside for these messages, of which some may be covered. */
  readonly reserve: (segments: readonly number[]) => Promise<Admission>;
  /** Undefined if too few credits are set aside. */
  readonly take: (segments: number) => MessageCredits | undefined;
  /** If there is no outcome, the request never began. The next reservation or `giveBack` records the rest. */
  readonly settle: (credits: MessageCredits, outcome: Outcome | undefined) => void;
  /** Never throws. */
  readonly giveBack: () => Promise<void>;
}

export interface MessageCredits {
  /** The credits count on this day only. */
  readonly date: string;
  readonly segments: number;
  readonly credits: number;
}

interface Admission {
  /** Messages are covered from the first on. */
  readonly granted: number;
  readonly refusal: Hold | undefined;
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
