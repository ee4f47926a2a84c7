import { type Guard, rulesOf } from "../../guards/guard.ts";
import { resumeCommand } from "../../output/next-steps.ts";
import type { RunNotes, RunPlan } from "../../output/run-plan.ts";
import type { Wait } from "../../output/waiting.ts";
import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { Due, Retry } from "../../runs/due.ts";
import type { RunPolicy } from "../../runs/execution.ts";
import type { RunTerms } from "../../runs/header.ts";
import { sameRunText } from "./confirmation.ts";
import type { Context } from "./context.ts";
import { type Destination, planOrigin } from "./destination.ts";
import type { FirstFlags } from "./first-stage.ts";
import { anyTime, type HourFlags } from "./hours.ts";
import type { GlobalOptions } from "./options.ts";
import { priceOf } from "./price.ts";
import type { PolicyFlags } from "./run-policy.ts";
import { termsInForce } from "./run-terms.ts";

/** A command that sends a run, new or resumed. */
export interface RunCommand {
  readonly options: GlobalOptions &
    PolicyFlags &
    HourFlags &
    FirstFlags & {
      readonly expect?: "test" | "live";
      readonly retry?: Retry;
      readonly exclude?: string;
      readonly again?: true;
    };
  /** Undefined for a run in the sandbox. */
  readonly chosen: ChosenProfile | undefined;
  /** What is waited for until the run is planned; undefined while a person types the recipients. */
  readonly planning: Wait | undefined;
  /** Returns the notes on the input, called once it is read; absent for a run that is resumed. */
  readonly notes?: () => Pick<RunNotes, "leftOut" | "firstLeftOut" | "warnings">;
  readonly guards: readonly Guard[];
  /** What a rehearsal sends instead, in words; called once the input is read. */
  readonly rehearsal?: (() => string) | undefined;
}

/** A run that a person can agree to. */
export interface PreparedRun {
  readonly plan: RunPlan;
  /** When it may be sent. */
  readonly hours: readonly Guard[];
  /** What a new run begins with. */
  readonly terms: RunTerms;
  /** The command that sends the rest of it. */
  readonly resume: string;
}

/** Returns what a run would send, and when, for a person to agree to. */
export async function prepareRun(
  { options, chosen, notes, guards, rehearsal }: RunCommand,
  due: Due,
  destination: Destination,
  { rate }: RunPolicy,
  { host }: Context,
): Promise<PreparedRun> {
  const price = priceOf(destination, host);
  const { hours, rules, terms } = await termsInForce(options, due.began, chosen, destination, price, host);
  const { held, firstHeld, same } = due;
  // A command that is given again has read the rows of the messages that are held back.
  const { leftOut, firstLeftOut, warnings } = notes?.() ?? {
    leftOut: Object.fromEntries(held),
    firstLeftOut: firstHeld,
    warnings: [],
  };
  const all = {
    guards: [...(rehearsal === undefined ? [] : [rehearsal()]), ...rulesOf(guards), ...rules],
    leftOut,
    firstLeftOut,
    warnings: [...warnings, ...(same === undefined ? [] : [sameRunText(same, host.now())])],
  };
  const { mode, isSandbox } = destination;
  const plan = { ...due, mode, isSandbox, origin: planOrigin(destination), rate, price, notes: all };
  const { profile, exclude, between } = options;
  const resume = resumeCommand(due.run, {
    profile,
    exclude: held.has("excluded") ? exclude : undefined,
    // A run keeps the hours that it began with; --between any is for one command.
    between: due.began !== undefined || between === anyTime ? between : undefined,
  });
  return { plan, hours, terms: rehearsal === undefined ? terms : { ...terms, isRehearsal: true }, resume };
}
