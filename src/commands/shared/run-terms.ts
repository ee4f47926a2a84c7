import { usageError } from "../../errors.ts";
import { type Guard, rulesOf } from "../../guards/guard.ts";
import type { Host } from "../../host.ts";
import { type KnownPrice, plural } from "../../output/text.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import { type FirstMessages, type RunTerms, runChanged } from "../../runs/header.ts";
import type { Destination } from "./destination.ts";
import type { FirstFlags } from "./first-stage.ts";
import { type HourFlags, hoursOf } from "./hours.ts";
import type { GlobalOptions } from "./options.ts";

/** What applies to a run besides its messages. */
interface TermsInForce {
  /** When it may be sent. */
  readonly hours: readonly Guard[];
  /** The same and the first messages in words, for the plan. */
  readonly rules: readonly string[];
  /** What a new run begins with. */
  readonly terms: RunTerms;
}

/**
 * Returns the terms of a run by the flags and the profile, and by what it `began` with. Throws `RUN_CHANGED` for another
 * --first.
 */
export async function termsInForce(
  flags: HourFlags & FirstFlags & Pick<GlobalOptions, "profile">,
  began: RunTerms | undefined,
  chosen: ChosenProfile | undefined,
  { mode }: Destination,
  price: KnownPrice | undefined,
  host: Host,
): Promise<TermsInForce> {
  const { profile } = flags;
  const { guards, between } = await hoursOf(flags, began?.between, chosen, mode, host);
  const first = began === undefined ? firstOf(flags, price) : firstAgain(flags, began);
  const rule = first && `--first: ${plural(first.count, "message")}, then their charge is compared with the estimate`;
  return {
    hours: guards,
    rules: [...rulesOf(guards), ...(rule === undefined ? [] : [rule])],
    terms: { ...(first && { first }), ...(between && { between }), ...(profile !== undefined && { profile }) },
  };
}

function firstOf({ first }: FirstFlags, price: KnownPrice | undefined): FirstMessages | undefined {
  return first === undefined ? undefined : { count: first, ...(price && { kesPerCredit: price.kesPerCredit }) };
}

/** Returns the first messages of a run that has begun: on a resume the same are the first. */
function firstAgain({ first, acceptPrice }: FirstFlags, began: RunTerms): FirstMessages | undefined {
  if (first !== undefined && first !== began.first?.count) {
    throw runChanged(`the run began ${began.first ? `with --first ${began.first.count}` : "without --first"}`);
  }
  if (acceptPrice && began.first === undefined) {
    throw usageError("INVALID_OPTION", "--accept-price is for a run that began with --first", "leave it out");
  }
  return began.first;
}
