import type { Country } from "../message/number.ts";
import type { SmsError } from "../errors.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Host } from "../host.ts";
import type { ProfileInUse, Resolved } from "../profiles/resolve.ts";
import type { Hold, RowGuard } from "../recipients/hold.ts";
import type { Sample } from "../record/plan.ts";
import type { Booking } from "../record/spending.ts";

export type RowGuardName = "excluded" | "onlyTo" | "optedOut";

export type GuardName = RowGuardName | "maxCredits" | "hours" | "lowBalance" | "dailyCredits";

export interface GuardOptions {
  readonly onlyTo?: string;
  readonly exclude?: readonly string[];
  readonly maxCredits?: number;
  readonly between?: string;
}

export interface GuardInput {
  /** With `wait`, a run pauses for a hold that ends by itself. */
  readonly options: GuardOptions & { readonly wait?: true };
  /** The lists of this profile hold in a sandbox as well. */
  readonly profile: ProfileInUse;
  /** Undefined for a sandbox, where nobody pays. */
  readonly payingProfile: ProfileInUse | undefined;
  readonly shared: { readonly country: Country | undefined };
  readonly context: { readonly host: Host };
}

export interface GuardInputAt extends GuardInput {
  /** Set if a live key pays. */
  readonly live: Resolved | undefined;
}

/** A guard judges a row by `hold`, a plan by `holdPlan`, and each attempt by `hold`, `holdAll` and reservations. */
export interface Guard extends RowGuard {
  /** Undefined if a plan does not show the guard. */
  readonly rule: string | (() => Promise<string>) | undefined;
  /** Said when the list was read, by every way of sending, with --quiet too. */
  readonly warnings?: readonly string[];
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

export type Barrier =
  | { readonly kind: "held"; readonly hold: Hold }
  | { readonly kind: "unreadable"; readonly error: SmsError };

/** What a kill leaves reserved stays so until the day ends. */
export interface Reservations {
  /** False once the day of the last reservation has ended. */
  readonly isOfToday: () => boolean;
  /** Pays for the messages of an intent, from the first on, and books what became of earlier credits. */
  readonly reserve: (segments: readonly number[]) => Reservation;
  /** If there is no outcome, the request never began. The next booking records this. */
  readonly spend: (credits: MessageCredits, outcome: Outcome | undefined) => void;
  /** Books what became of earlier credits; undefined if all is on record. */
  readonly bookRest: () => Booking | undefined;
  /** Never throws. A single message has no journal that a booking could go with. */
  readonly book: (booking: Booking) => Promise<void>;
}

export interface Reservation extends Booking {
  /** Once the booking is on record, or has failed. */
  readonly admission: () => Admission;
}

export interface MessageCredits {
  /** The credits count only on the day that ends then. */
  readonly endsAt: number;
  readonly segments: number;
  readonly credits: number;
}

export interface Admission {
  /** One for each message that is admitted, from the first on. */
  readonly credits: readonly MessageCredits[];
  readonly barrier: Barrier | undefined;
}

export async function rulesOf(guards: readonly Guard[]): Promise<readonly string[]> {
  const rules = guards.flatMap(({ rule }) => rule ?? []);
  return Promise.all(rules.map(async (rule) => (typeof rule === "string" ? rule : rule())));
}

export function holdAll(guards: readonly Guard[], now: number): HoldOfAll | undefined {
  for (const guard of guards) {
    const hold = guard.holdAll?.(now);
    if (hold !== undefined) return hold;
  }
  return undefined;
}
