import type { Country } from "../message/number.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Host } from "../host.ts";
import type { ChosenProfile, Resolved } from "../profiles/resolve.ts";
import type { Hold, RowGuard } from "../recipients/hold.ts";
import type { Sample } from "../record/plan.ts";
import type { Mode } from "../service/credentials.ts";

/** The guards that judge rows, by their names in `leftOut`. */
export type RowGuardName = "excluded" | "onlyTo" | "optedOut";

/** All guards: what holds something back, or warns. */
export type GuardName = RowGuardName | "maxCredits" | "hours" | "lowBalance" | "dailyCredits";

/** The options of guards; a command that sends takes those that fit it. */
export interface GuardOptions {
  readonly onlyTo?: string;
  readonly exclude?: readonly string[];
  readonly maxCredits?: number;
  readonly between?: string;
  /** Pauses until a hold ends that ends by itself, instead of stopping. */
  readonly wait?: true;
}

/** What the guards of a command are opened from. */
export interface Asked {
  readonly options: GuardOptions;
  /** The profile in use, whose lists hold in a sandbox, too. */
  readonly own: ChosenProfile;
  /** The profile that pays; undefined for a sandbox. */
  readonly chosen: ChosenProfile | undefined;
  /** The country of numbers without +. */
  readonly country: Country | undefined;
  readonly host: Host;
}

/** What is asked once it is known where the messages go. */
export interface AskedThere extends Asked {
  readonly destination: (Resolved & { readonly mode: Mode }) | undefined;
  /** What the guard itself kept of a run that has begun. */
  readonly began: string | undefined;
}

/**
 * One rule about who is sent to, or when, or at which cost. It judges a row by `hold`, what is planned by `holdPlan`, and each
 * attempt by `hold`, `holdAll` and its reservations. It says yes, or what it holds back and why.
 */
export interface Guard extends RowGuard {
  /** What it does and where it came from (flag, variable, profile), for the plan; absent if that is nothing now. */
  readonly rule?: string | (() => Promise<string>);
  /** What a run keeps of it, from which the guard opens again when the run goes on; absent if a run keeps nothing. */
  readonly kept?: string;
  /** The option with which a run holds the same back when it goes on, such as `--exclude FILE`. */
  readonly again?: string;
  /** Credits that a run may be charged in all. */
  readonly mostCredits?: number;
  /** Returns why nothing at all is sent now, in milliseconds since 1970. */
  readonly holdAll?: (now: number) => HoldOfAll | undefined;
  /** Returns why what is planned does not begin. */
  readonly holdPlan?: (planned: Planned) => Hold | undefined | Promise<Hold | undefined>;
  /** Returns how many messages of a plan may go today, from the first on. */
  readonly fitting?: (order: Sample["order"]) => Promise<number>;
  readonly reservations?: () => Reservations;
  /** Returns what to warn of once messages were accepted and the account has this balance. */
  readonly warning?: (balance: number) => Promise<string | undefined>;
  /** Whether what it reads seems to be as it was; it does not wait to find out. Absent if it reads nothing that changes. */
  readonly isCurrent?: () => boolean;
  /** Returns the guard as it is now. Throws if what it reads cannot be read any more. */
  readonly renew?: () => Promise<Guard>;
}

export interface HoldOfAll extends Hold {
  /** Why in few words, for a text that comes late. */
  readonly brief: string;
}

/** What is about to be sent, as it may cost. */
export interface Planned {
  readonly segments: number;
  /** Credits that may have been charged for it before. */
  readonly exposure: number;
  /** Segments of the message that goes first; 0 if it goes on another day. */
  readonly first: number;
  /** Segments of the longest message. */
  readonly longest: number;
}

/** A message that may cost credits. Each of a command has an index of its own. */
export interface Costly {
  readonly index: number;
  readonly segments: number;
}

/** The credits of a day that one command reserves. What a kill leaves reserved stays so until the day ends. */
export interface Reservations {
  /** Whether the day that was last reserved on has not ended. */
  readonly isCurrent: () => boolean;
  /** Forgets a day that has ended. */
  readonly renew: () => void;
  /** Reserves for as many of these messages as fit, from the first on, and returns why the next does not. */
  readonly reserve: (messages: readonly Costly[]) => Promise<Admission<Hold>>;
  /** Settles a message, on record with the next reservation or at the end. Without an outcome its request never began. */
  readonly settle: (index: number, outcome: Outcome | undefined) => void;
  /** Records what is settled. */
  readonly close: () => Promise<void>;
}

/** How many of the messages may go, from the first on, and why the next may not. */
export interface Admission<Why> {
  readonly granted: number;
  readonly refusal: Why | undefined;
}

/** Returns what the guards say in a plan. */
export async function rulesOf(guards: readonly Guard[]): Promise<readonly string[]> {
  const rules = guards.flatMap(({ rule }) => rule ?? []);
  return Promise.all(rules.map(async (rule) => (typeof rule === "string" ? rule : rule())));
}

/** Returns why nothing at all is sent now, by the first guard that holds everything back. */
export function holdOfAll(guards: readonly Guard[], now: number): HoldOfAll | undefined {
  for (const { holdAll } of guards) {
    const held = holdAll?.(now);
    if (held !== undefined) return held;
  }
  return undefined;
}
